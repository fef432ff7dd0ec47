from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage

from memory_secretary.nodes.state import (
    KEPT_BYTES,
    KEPT_MESSAGES,
    MESSAGE_BYTES,
    keep_turns,
    no_figures,
    spent_so_far,
)

TURNS = st.lists(st.sampled_from(["human", "ai"]), max_size=120)


def messages(kinds, start=0):
    made = {"human": HumanMessage, "ai": AIMessage}
    return [made[kind](f"第{n}句", id=f"m{n}") for n, kind in enumerate(kinds, start)]


@given(TURNS, TURNS)
@settings(max_examples=80, deadline=None)
def test_the_newest_turns_stay_and_begin_with_the_users_words(old, new):
    whole = messages(old) + messages(new, len(old))
    kept = keep_turns(messages(old), messages(new, len(old)))
    most = max(KEPT_MESSAGES, len(new))
    assert len(kept) <= most
    assert kept == whole[len(whole) - len(kept) :]
    if len(whole) <= most:
        assert kept == whole
    elif any(isinstance(m, HumanMessage) for m in whole[-most:]):
        assert isinstance(kept[0], HumanMessage)
        assert [m for m in kept if isinstance(m, HumanMessage)] == [
            m for m in whole[-most:] if isinstance(m, HumanMessage)
        ]


def test_a_long_conversation_that_is_handed_in_stays_whole_until_the_next_message():
    handed_in = messages(["human", "ai"] * 40)
    state = keep_turns([], handed_in)
    assert state == handed_in
    assert len(keep_turns(state, [AIMessage("a", id="answer")])) <= KEPT_MESSAGES


@given(st.lists(st.integers(0, KEPT_BYTES), min_size=1, max_size=12), st.sampled_from("q长"))
@settings(max_examples=40, deadline=None)
def test_long_turns_go_earlier_but_never_the_last_question_and_its_answer(sizes, sign):
    state = []
    for n, size in enumerate(sizes):
        state = keep_turns(state, [HumanMessage(sign * size, id=f"q{n}")])
        state = keep_turns(state, [AIMessage(sign * size, id=f"a{n}")])
        assert [m.id for m in state[-2:]] == [f"q{n}", f"a{n}"]
        assert len(state) == 2 or sum(len(m.text.encode()) + MESSAGE_BYTES for m in state) <= KEPT_BYTES


def test_the_newest_system_message_outlives_the_turns_it_came_with():
    state = keep_turns([], [SystemMessage("old", id="s0"), SystemMessage("In French.", id="s1")])
    for n in range(60):
        state = keep_turns(state, [HumanMessage("q", id=f"q{n}")])
        state = keep_turns(state, [AIMessage("a", id=f"a{n}")])
    assert [m.id for m in state if isinstance(m, SystemMessage)] == ["s1"]
    assert state[0].id == "s1"
    assert len(state) == KEPT_MESSAGES + 1


@given(st.integers(1, 120))
@settings(max_examples=30, deadline=None)
def test_the_current_users_turn_is_never_lost(turns):
    state = []
    for n in range(turns):
        state = keep_turns(state, [HumanMessage("q", id=f"q{n}")])
        assert state[-1].id == f"q{n}"
        state = keep_turns(state, [AIMessage("a", id=f"a{n}")])
        assert state[-2].id == f"q{n}"
    assert len(state) == min(2 * turns, KEPT_MESSAGES)


def test_messages_are_replaced_and_removed_as_in_langgraph():
    old = messages(["human", "ai"])
    assert keep_turns(old, [AIMessage("better", id="m1")])[1].text == "better"
    assert keep_turns(old, [RemoveMessage(id="m1")]) == old[:1]


def test_figures_begin_anew_each_time():
    no_figures()["seconds"]["plan"] = 1.0
    assert no_figures()["seconds"] == {}
    assert not any(no_figures().values())


def test_figures_that_an_older_checkpoint_lacks_are_nothing():
    assert spent_so_far({"figures": {"steps": 3}}) == {**no_figures(), "steps": 3}
    assert spent_so_far({}) == no_figures()

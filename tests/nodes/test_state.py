from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage

from memory_secretary.nodes.state import KEPT_MESSAGES, keep_turns, no_figures

TURNS = st.lists(st.sampled_from(["human", "ai"]), max_size=120)


def messages(kinds, start=0):
    made = {"human": HumanMessage, "ai": AIMessage}
    return [made[kind](f"第{n}句", id=f"m{n}") for n, kind in enumerate(kinds, start)]


@given(TURNS, TURNS)
@settings(max_examples=80, deadline=None)
def test_the_newest_turns_stay_and_begin_with_the_users_words(old, new):
    whole = messages(old) + messages(new, len(old))
    kept = keep_turns(messages(old), messages(new, len(old)))
    assert len(kept) <= KEPT_MESSAGES
    assert kept == whole[len(whole) - len(kept) :]
    if len(whole) <= KEPT_MESSAGES:
        assert kept == whole
    elif any(isinstance(m, HumanMessage) for m in whole[-KEPT_MESSAGES:]):
        assert isinstance(kept[0], HumanMessage)
        assert [m for m in kept if isinstance(m, HumanMessage)] == [
            m for m in whole[-KEPT_MESSAGES:] if isinstance(m, HumanMessage)
        ]


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

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import done, item, task

from memory_secretary.memory.records import RECORD_TOOLS
from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.reminders import (
    cycle_of,
    done_before,
    escaped,
    moved_on,
    named_files,
    near_limit,
    notices,
    refused,
    unseen_files,
)
from memory_secretary.nodes.wording import EN, ZH
from memory_secretary.tools.effects import Effect

FEW = settings(max_examples=60, deadline=None)
MOVES = st.lists(
    st.sampled_from(
        [
            lambda brakes: moved_on(brakes, item=True),
            lambda brakes: moved_on(brakes, item=False),
            escaped,
            lambda brakes: refused(brakes, "read_file"),
            lambda brakes: refused(brakes, ""),
            lambda brakes: near_limit(brakes, 5),
        ]
    ),
    max_size=12,
)


def after(moves):
    brakes = no_brakes()
    for move in moves:
        brakes = move(brakes)
    return brakes


@given(MOVES, st.lists(st.sampled_from(["read_file", "pay", ""]), min_size=4, max_size=8))
@FEW
def test_refusals_in_a_row_always_end_in_the_last_step(moves, actions):
    brakes = after(moves)
    for action in actions:
        brakes = refused(brakes, action)
    assert brakes["last"] and brakes["reason"] == "no_progress"


@given(MOVES)
@FEW
def test_the_last_step_stays_the_last_step(moves):
    brakes = near_limit(no_brakes(), 1)
    for move in moves:
        brakes = move(brakes)
        assert brakes["last"]


def test_each_refusal_changes_more_than_the_one_before():
    first = refused(no_brakes(), "read_file")
    second = refused(first, "read_file")
    third = refused(second, "")
    fourth = refused(third, "pay")
    assert [b["off"] for b in (first, second, third, fourth)] == [[], ["read_file"], [], ["pay"]]
    assert [b["last"] for b in (first, second, third, fourth)] == [False, False, False, True]
    assert moved_on(third, item=True)["repeats"] == 0


def test_escapes_are_forgiven_by_doing_an_item_only():
    twice = escaped(escaped(no_brakes()))
    assert (twice["escapes"], twice["free"]) == (2, True)
    assert moved_on(twice, item=False)["escapes"] == 2
    assert moved_on(twice, item=True)["escapes"] == 0
    assert not moved_on(twice, item=False)["free"], "the free menu is open for one step"


@pytest.mark.parametrize(("left", "last"), [(2, False), (1, True), (0, True), (-3, True)])
def test_the_last_step_of_a_run_is_for_the_answer(left, last):
    brakes = near_limit(no_brakes(), left)
    assert brakes["last"] is last and brakes["reason"] == ("step_limit" if last else "")


def test_an_earlier_reason_is_kept():
    stuck = refused(refused(refused(refused(no_brakes(), ""), ""), ""), "")
    assert near_limit(stuck, 1)["reason"] == "no_progress"


EFFECTS = {"read_file": Effect.READ_ONLY, "pay": Effect.SIDE_EFFECT}


def paid(number, order, **changes):
    return done(number, action="pay", arguments={"order_id": order}, **changes)


def test_a_read_that_was_done_is_known_in_other_words():
    state = task(done(1), done(2, status="failed"), item(3))
    assert done_before(state, "read_file", {"path": "./Notes/1.md", "start": None}, EFFECTS) == state["items"][0]
    assert done_before(state, "read_file", {"path": "notes/2.md"}, EFFECTS) is None, "a failed call may be tried again"
    assert done_before(state, "read_file", {"path": "notes/3.md"}, EFFECTS) is None
    assert done_before(state, "read", {"path": "notes/1.md"}, EFFECTS) is None


def failed(number, result, **changes):
    return done(number, status="failed", arguments={"path": "notes/9.md"}, result=result, **changes)


@pytest.mark.parametrize(
    ("results", "again"),
    [
        (["no folder June", "no folder June"], False),
        (["no folder June"], True),
        (["3 ahead of you", "2 ahead of you"], True),
        (["busy", "no folder June", "no folder June"], False),
        (["still running", "still running"], True),
    ],
)
def test_a_read_that_fails_twice_in_the_same_words_is_not_made_a_third_time(results, again):
    state = task(*(failed(number, result) for number, result in enumerate(results, 1)))
    assert (done_before(state, "read_file", {"path": "notes/9.md"}, EFFECTS) is None) is again
    changed = task(*state["items"], paid(9, "ORD-1"))
    assert done_before(changed, "read_file", {"path": "notes/9.md"}, EFFECTS) is None


def test_a_read_may_be_made_again_once_something_was_changed():
    state = task(done(1), paid(2, "ORD-1"))
    assert done_before(state, "read_file", {"path": "notes/1.md"}, EFFECTS) is None
    again = task(paid(1, "ORD-1"), done(2))
    assert done_before(again, "read_file", {"path": "notes/2.md"}, EFFECTS) == again["items"][1]


@pytest.mark.parametrize("result", ["job J1: running", "status: pending", "45 % done", "处理中", "尚未完成"])
def test_a_read_may_be_made_again_while_its_result_says_that_something_goes_on(result):
    state = task(done(1, result=result))
    assert done_before(state, "read_file", {"path": "notes/1.md"}, EFFECTS) is None


def test_a_call_that_changes_something_is_the_same_only_to_the_letter():
    state = task(paid(1, "AB-1"))
    assert done_before(state, "pay", {"order_id": "AB-1"}, EFFECTS) == state["items"][0]
    assert done_before(state, "pay", {"order_id": "ab-1"}, EFFECTS) is None


def test_a_call_that_changes_something_is_not_tried_a_third_time():
    once = task(paid(1, "ORD-1", status="failed"))
    twice = task(paid(1, "ORD-1", status="failed"), paid(2, "ORD-1", status="failed"))
    assert done_before(once, "pay", {"order_id": "ORD-1"}, EFFECTS) is None
    assert done_before(twice, "pay", {"order_id": "ORD-1"}, EFFECTS) == twice["items"][1]


def test_two_calls_that_take_turns_are_a_cycle():
    a, b = {"arguments": {"path": "a"}}, {"arguments": {"path": "b"}}
    turns = [done(1, **a), done(2, **b), done(3, **a), done(4, **b)]
    assert cycle_of(turns) == ("read_file(path=a)", "read_file(path=b)")
    assert cycle_of(list(reversed(turns))) == cycle_of(turns), "the steps give the order"
    assert cycle_of(turns[1:]) is None
    assert cycle_of([done(n, **a) for n in range(4)]) is None
    assert cycle_of([*turns, done(5)]) is None


@pytest.mark.parametrize("words", [EN, ZH])
def test_what_the_coming_step_is_reminded_of(words):
    a, b = {"arguments": {"path": "a"}}, {"arguments": {"path": "b"}}
    state = task(done(1, **a), done(2, **b), done(3, **a), done(4, **b))
    off = refused(refused(no_brakes(), "search"), "search")
    assert notices(state, off, 3, words) == [
        words.tool_off.format(tool="search"),
        words.cycle.format(a="read_file(path=a)", b="read_file(path=b)"),
        words.steps_left.format(n=3),
    ]
    assert notices(task(), no_brakes(), 4, words) == notices(task(), no_brakes(), 1, words) == []


@pytest.mark.parametrize("tool", ["recall", "read_record"])
def test_looking_into_the_records_again_takes_every_way_off_the_menu(tool):
    assert refused(no_brakes(), tool)["off"] == list(RECORD_TOOLS)
    assert refused(no_brakes(), "get_order")["off"] == []


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("Which invoices in notes/ are not paid yet?", ["notes/"]),
        ("Read a/b/plan.md and list.csv.", ["a/b/plan.md", "list.csv"]),
        ("notes/里哪些发票没付？看看 清单.txt", ["notes/", "清单.txt"]),
        ("Is it 90 km/h and/or https://example.org/a/?", []),
    ],
)
def test_files_are_named_by_an_ending_or_a_slash(goal, names):
    assert named_files(goal) == names


@pytest.mark.parametrize("words", [EN, ZH])
def test_where_nothing_opens_files_that_is_said(words):
    state = task(goal="Which invoices in notes/ are not paid yet?")
    said = [words.no_files.format(names="notes/")]
    assert notices(state, no_brakes(), 9, words, tools=["recall", "read_record"]) == said
    assert notices(state, no_brakes(), 9, words, tools=["recall", "read_file"]) == []
    assert notices(task(goal="How are you?"), no_brakes(), 9, words, tools=["recall"]) == []


@pytest.mark.parametrize(
    ("request_text", "unseen"),
    [
        ("Which invoices in notes/ are not paid yet?", ["notes/"]),
        ("Summarize report.md in two sentences.", ["report.md"]),
        ("What does it say in the file plan.txt?", ["plan.txt"]),
        ("总结 报告.md", ["报告.md"]),
        ("notes/ 里哪些发票没付？", ["notes/"]),
        ("Write me a script called backup.py.", []),
        ("What is the difference between main.py and app.py?", []),
        ("Remember: the plan stands in plan.txt.", []),
        ("In plan.txt stands:\nBuy milk.\nWhat is to be bought?", []),
        ("How are you?", []),
    ],
)
def test_files_that_nobody_can_see_are_told_of_and_not_made_up(request_text, unseen):
    assert unseen_files(request_text, ["recall", "read_record"], []) == unseen
    assert unseen_files(request_text, ["read_file"], []) == []


def test_what_is_remembered_of_a_file_is_for_the_executor_to_tell():
    assert unseen_files("Which invoices in notes/ are open?", [], ["The invoices of Harper are open."]) == []

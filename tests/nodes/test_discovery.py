import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import LIST_FOLDER, ORDER, PAY, READ_FILE, SEARCH, done, event, item, shape, task, value

from memory_secretary.memory.records import Phase
from memory_secretary.memory.task_state import open_items
from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.discovery import closed, is_listing, is_record, noted, subject_of, typed, with_items

ITEMS = st.lists(st.tuples(st.sampled_from(["open", "done", "failed", "dropped"]), st.integers(1, 4)), max_size=6)
EVENTS = st.lists(
    st.tuples(st.sampled_from([Phase.RESULT, Phase.FAILED, Phase.UNKNOWN]), st.integers(1, 6), st.booleans()),
    max_size=8,
)


@given(ITEMS, EVENTS)
@settings(max_examples=80, deadline=None)
def test_no_item_is_ever_lost_and_ids_stay_unique(items, events):
    state = task(*(item(n, id=f"i{n}", status=status, arguments={"path": f"notes/{path}.md"})
                   for n, (status, path) in enumerate(items, 1)))  # fmt: skip
    for number, (phase, path, final) in enumerate(events):
        before = state["items"]
        came = event(arguments={"path": f"notes/{path}.md"}, phase=phase, event_id=f"evt_{number}", step=number)
        state = closed(state, came, "came of it", final=final)
        assert [i["id"] for i in state["items"]][: len(before)] == [i["id"] for i in before]
        assert len(state["items"]) - len(before) in (0, 1)
        changed = [i for i in state["items"] if i not in before]
        assert len(changed) == 1, "each call changes one item"
        assert changed[0]["evidence"] in (f"evt_{number}", None)
        settled = [(old, new) for old, new in zip(before, state["items"], strict=False) if old["status"] != "open"]
        assert all(old == new for old, new in settled), "what is closed stays as it is"
    assert len({i["id"] for i in state["items"]}) == len(state["items"])


def test_an_open_item_is_closed_with_its_evidence():
    state = closed(task(item(1), item(2)), event(arguments={"path": "./notes/2.md"}, step=4), "rainfall: 61 mm")
    assert state["items"] == [
        item(1), item(2, status="done", evidence="evt_new", result="rainfall: 61 mm", step=4)
    ]  # fmt: skip


def test_a_call_of_its_own_accord_is_added_as_closed():
    state = closed(task(item(1)), event("search", {"query": "降雨"}, step=2), "nothing")
    assert [i["status"] for i in state["items"]] == ["open", "done"]
    added = state["items"][1]
    assert (added["id"], added["source"], added["evidence"], added["text"]) == (
        "i2", "evt_new", "evt_new", "search(query=降雨)"
    )  # fmt: skip


def test_a_failed_call_stays_open_once():
    failed = event(arguments={"path": "notes/1.md"}, phase=Phase.FAILED)
    once = closed(task(item(1)), failed, "gone")
    assert once["items"] == [item(1, tries=1)]
    twice = closed(once, failed, "gone")
    assert (twice["items"][0]["status"], twice["items"][0]["result"]) == ("failed", "gone")
    assert closed(task(item(1)), failed, "gone", final=True)["items"][0]["status"] == "failed"
    assert closed(task(), failed, "gone")["items"][0]["status"] == "failed", "a free call is not kept open"


def test_of_two_open_twins_one_is_closed():
    state = closed(task(item(1), item(1, id="i2")), event(arguments={"path": "notes/1.md"}), "x")
    assert [i["status"] for i in state["items"]] == ["done", "open"]


def test_the_state_handed_in_is_not_changed():
    state = task(item(1))
    closed(state, event(arguments={"path": "notes/1.md"}), "x")
    with_items(state, [Group("read_file", "path", "#", ("a.md",))], [READ_FILE], "evt_1")
    noted(state, "a", {"rainfall": "1"}, "evt_1")
    assert state == task(item(1))


def test_a_call_is_never_listed_twice():
    group = Group("read_file", "path", "notes/#.md", ("notes/1.md", "notes/2.md", "./notes/2.md"))
    state = with_items(task(done(1)), [group, group], [READ_FILE], "evt_list")
    assert [i["arguments"]["path"] for i in state["items"]] == ["notes/1.md", "notes/2.md"]
    [found] = open_items(state)
    assert (found["id"], found["source"], found["text"]) == ("i2", "evt_list", "read_file(path=notes/2.md)")


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        ("17", "integer", 17), ("-3", "integer", -3), ("17", "string", "17"), ("ORD-17", "integer", "ORD-17"),
        ("²", "integer", "²"), ("--5", "integer", "--5"), ("9" * 5000, "integer", "9" * 5000), ("", "integer", ""),
    ],
)  # fmt: skip
def test_a_value_gets_the_type_of_its_parameter(value, kind, wanted):
    assert typed(value, {"type": kind}) == wanted and type(typed(value, {"type": kind})) is type(wanted)


def test_values_are_noted_behind_those_that_stand_there():
    state = noted(task(values=[value("a.md", "1 mm")]), "b.md", {"rainfall": "2 mm", "雨日": "3天"}, "evt_2")
    assert state["values"] == [
        value("a.md", "1 mm"), value("b.md", "2 mm", ref="evt_2"), value("b.md", "3天", "雨日", ref="evt_2")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "listing"),
    [
        ("a.md\nb.md\nc.md", True),
        ("报告一.md\n报告二.md\n报告三.md", True),
        ("a.md\nb.md", False),
        ("# Title\na.md\nb.md\nc.md", False),
        ("It rained.\nIt stopped.\nIt rained again.", False),
        ("下雨了。\n雨停了。\n又下雨了。", False),
        ("\n".join([*"abcdefghi", "One sentence."]), True),
        ("", False),
        ("x" * 200 + "\n" + "y" * 200 + "\n" + "z" * 200, False),
    ],
)
def test_what_a_listing_is(text, listing):
    assert is_listing(text) is listing


@pytest.mark.parametrize(
    ("came", "record"),
    [
        (event(observation="Rain: 61 mm."), True),
        (event(observation="a.md\nb.md\nc.md"), False),
        (event(observation="Rain", phase=Phase.FAILED), False),
        (event("search", observation="Rain: 61 mm."), False),
        (event("pay", observation="Paid."), False),
        (event("gone", observation="Rain."), False),
        (event("get_order", observation="ORD-17 is open."), True),
    ],
)
def test_what_a_record_is(came, record):
    assert is_record(came, [READ_FILE, LIST_FOLDER, SEARCH, PAY, ORDER, shape("clock")]) is record


def test_a_records_subject_is_its_calls_arguments():
    assert subject_of(event(arguments={"path": "notes/a.md", "page": 2})) == "notes/a.md, 2"
    assert subject_of(event(arguments=None)) == ""

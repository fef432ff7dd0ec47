import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import LIST_FOLDER, PAY, READ_FILE, SEARCH, done, item, shape, task

from memory_secretary.nodes.brakes import Brakes, no_brakes
from memory_secretary.nodes.brief import OPEN_SHOWN
from memory_secretary.nodes.menu import (
    FINAL,
    OTHER,
    Menu,
    asked_effects,
    had_checklist,
    make_menu,
    shown_thought,
    step_schema,
)

TOOLS = [READ_FILE, LIST_FOLDER, SEARCH, PAY]
NAMES = [tool.name for tool in TOOLS]


def brakes(**changes):
    return Brakes(**{**no_brakes(), **changes})


def fits(data, schema):
    """Whether data is valid under a schema, as far as step schemas go."""
    if "anyOf" in schema:
        return any(fits(data, option) for option in schema["anyOf"])
    if "const" in schema:
        return data == schema["const"]
    if "enum" in schema:
        return data in schema["enum"]
    if schema["type"] == "object":
        known = schema["properties"]
        return (
            isinstance(data, dict)
            and set(schema["required"]) <= set(data) <= set(known)
            and all(fits(value, known[name]) for name, value in data.items())
        )
    types = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list}
    return isinstance(data, types[schema["type"]]) and len(str(data)) <= schema.get("maxLength", 10**9)


def step(action, given=None):
    inner = {"thought": "做这一步", "action": action}
    return {"step": inner if given is None else {**inner, "input": given}}


ITEMS = st.lists(
    st.tuples(st.sampled_from(["open", "done", "failed", "dropped"]), st.sampled_from([*NAMES, "gone", None])),
    max_size=12,
)
BRAKES = st.builds(
    brakes,
    off=st.lists(st.sampled_from(NAMES), max_size=4),
    escapes=st.integers(0, 4),
    free=st.booleans(),
    last=st.booleans(),
)


def made(items):
    return task(*(item(n, status=status, action=action) for n, (status, action) in enumerate(items, 1)))


@given(ITEMS, BRAKES, st.booleans(), st.booleans(), st.lists(st.sampled_from(TOOLS), unique_by=id))
@settings(max_examples=100, deadline=None)
def test_every_menu_has_a_valid_schema_with_a_way_to_go_on(items, earned, menu, gate, tools):
    chosen = make_menu(made(items), tools, earned, menu=menu, gate=gate)
    schema = step_schema(chosen)
    json.dumps(schema)
    check_objects(schema)
    assert schema["type"] == "object" and "anyOf" not in schema
    assert chosen.choices or chosen.tools or chosen.final
    samples = [{"thought": "t", "choice": label} for label in [*chosen.choices, OTHER]]
    if chosen.kind != "items":
        samples = [step(t.name, dict.fromkeys(t.schema["properties"], "x")) for t in chosen.tools]
        samples += [step(FINAL, {"answer": "三月"})] if chosen.final else []
        samples += [step(OTHER)] if chosen.kind == "finish" else []
    assert samples and all(fits(sample, schema) for sample in samples)
    assert fits(step(FINAL, {"answer": "三月"}), schema) is chosen.final
    assert not any(
        fits(bad, schema) for bad in ({}, {"step": {}}, step("gone", {}), {"choice": "i99"}, {"thought": "t"})
    )


def check_objects(schema):
    """Strict servers demand that every object is closed and says what is required."""
    if schema.get("type") == "object":
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        for inner in schema["properties"].values():
            check_objects(inner)
    for inner in schema.get("anyOf", []):
        check_objects(inner)


@given(ITEMS, BRAKES, st.booleans())
@settings(max_examples=60, deadline=None)
def test_tools_that_are_off_are_never_offered(items, earned, menu):
    chosen = make_menu(made(items), TOOLS, earned, menu=menu)
    offered = {tool.name for tool in chosen.tools} if chosen.kind == "free" else set()
    assert not (offered | {choice["action"] for choice in chosen.choices.values()}) & set(earned["off"])


def test_open_items_are_the_menu_and_withhold_the_answer():
    menu = make_menu(task(done(1), item(2), item(3)), TOOLS, no_brakes())
    assert (menu.kind, list(menu.choices), menu.final) == ("items", ["i2", "i3"], False)
    assert step_schema(menu)["properties"]["choice"]["enum"] == ["i2", "i3", OTHER]


def test_no_more_items_are_offered_than_are_shown():
    assert len(make_menu(task(*map(item, range(1, 30))), TOOLS, no_brakes()).choices) == OPEN_SHOWN


def test_a_free_menu_still_withholds_the_answer_until_it_was_taken_twice():
    state = task(item(1))
    assert [make_menu(state, TOOLS, brakes(free=True, escapes=n)).final for n in (0, 1, 2)] == [False, False, True]
    assert make_menu(state, TOOLS, brakes(free=True), gate=False).final


def test_a_wrong_checklist_cannot_trap_a_run():
    stuck = task(item(1, action="gone"), item(2, action=None))
    assert make_menu(stuck, TOOLS, no_brakes()).kind == "free"
    assert make_menu(stuck, TOOLS, brakes(off=NAMES)).kind == "answer"


def test_a_done_checklist_offers_the_answer_or_something_else():
    menu = make_menu(task(done(1), goal="Read it, then pay ORD-17."), TOOLS, no_brakes())
    assert (menu.kind, menu.tools, menu.final) == ("finish", (PAY,), True)
    assert not had_checklist(task(done(1, action="search", arguments={"query": "June"})))
    own = task(done(1, source="evt_1"))
    assert not had_checklist(own) and make_menu(own, TOOLS, no_brakes()).kind == "free"


def test_the_last_step_has_only_the_answer():
    menu = make_menu(task(item(1)), TOOLS, brakes(last=True))
    assert (menu.kind, menu.tools, menu.final) == ("answer", (), True)


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("Pay every open order.", True),
        ("List the orders. Do not pay anything!", False),
        ("Find the orders that were left open.", False),
        ("请分别 pay 这两个订单。", True),
        ("查看订单，别 pay。", False),
        ("不要 pay。", False),
    ],
)
def test_a_tool_with_an_effect_is_offered_at_the_end_when_the_user_asked_for_it(goal, asked):
    assert asked_effects(task(goal=goal), TOOLS) == ((PAY,) if asked else ())
    assert asked_effects(task(goal="Look.", amendments=[goal]), TOOLS) == ((PAY,) if asked else ())


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        ("I prefer answers in at most ten words. Remember this.", "reply"),
        ("请记住：我最喜欢的颜色是青色。", "reply"),
        ("Remember this, and read notes/a.txt.", "free"),
        ("Remember this: I like tea. What do I like?", "free"),
        ("Sum up the invoices.", "free"),
        ("Remember this: I like tea. Then list the files.", "free"),
        ("请记住我喜欢茶，然后查一下清单。", "free"),
        ("Note for later: in every file and folder, 85 from the annex must be added to a total.", "reply"),
        ("请记住：以后我问文件里的合计，都要再加上附属点的92。", "reply"),
    ],
)
def test_what_is_only_to_be_remembered_needs_no_tool(goal, kind):
    menu = make_menu(task(goal=goal), TOOLS, no_brakes())
    assert (menu.kind, menu.noted) == (kind, kind == "reply")


def test_a_greeting_asks_for_nothing_to_be_noted():
    assert not make_menu(task(goal="hello there"), TOOLS, no_brakes()).noted


@pytest.mark.parametrize("wish", ["Remember this: the database password is {}.", "请记住：数据库密码是 {}。"])
def test_nothing_is_called_noted_where_a_secret_was_left_out(wish):
    menu = make_menu(task(goal=wish.format("tr0ub4dor-x9")), TOOLS, no_brakes())
    assert (menu.kind, menu.noted) == ("reply", False)


@pytest.mark.parametrize(("length", "shown"), [(12, "x" * 12), (80, "x" * 80 + "…"), (160, "x" * 160 + "…")])
def test_a_thought_that_was_cut_short_is_shown_with_a_sign(length, shown):
    assert shown_thought("x" * length) == shown


def test_an_answer_has_no_more_room_than_its_limit_needs():
    menu = Menu("answer", {}, (), True)
    answer = step_schema(menu, 300)["properties"]["step"]["properties"]["input"]["properties"]["answer"]
    assert answer == {"type": "string", "maxLength": 300}
    assert "maxLength" not in str(step_schema(menu)["properties"]["step"]["properties"]["input"])


@pytest.mark.parametrize(
    ("goal", "may_write"),
    [
        ("Who signed the contract, and when?", False),
        ("合同是谁签的？", False),
        ("Sort my notes.", True),
        ("Could you put that into a file?", True),
        ("Who owes most? Write it into a file.", True),
        ("请问能帮我写下来吗？", True),
    ],
)
def test_a_plain_question_changes_nothing(goal, may_write):
    tools = [shape("list_files"), shape("write_file", "path", "content", read_only=False)]
    offered = make_menu(task(goal=goal), tools, no_brakes()).tools
    assert ("write_file" in [tool.name for tool in offered]) is may_write


@pytest.mark.parametrize(
    ("goal", "final"),
    [("Which invoices are open?", False), ("Put that into a table.", True), ("谢谢", True), ("哪些发票没付？", False)],
)
def test_what_tools_said_earlier_is_looked_up_again_before_a_question_is_answered(goal, final):
    known = [READ_FILE, PAY]
    assert make_menu(task(goal=goal), known, no_brakes(), retold=True).final is final
    assert make_menu(task(goal=goal), known, no_brakes(), retold=False).final
    assert make_menu(task(goal=goal), [PAY], no_brakes(), retold=True).final, "nothing could look"
    read = task(done(1, source="evt_1"), goal=goal)
    assert make_menu(read, known, no_brakes(), retold=False).final


@pytest.mark.parametrize(
    ("goal", "offered"),
    [
        ("When does the lease of the meadow end?", False),
        ("What day is it today?", True),
        ("How many days are left until the lease ends?", True),
        ("租期到什么时候为止？", False),
        ("现在几点了？", True),
        ("Write the date into notes.md, please.", True),
    ],
)
def test_the_clock_is_offered_where_the_present_matters(goal, offered):
    clock = shape("clock")
    assert (clock in make_menu(task(goal=goal), [READ_FILE, clock], no_brakes()).tools) is offered

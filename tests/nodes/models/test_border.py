import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.models.border import FINAL, Problem, ProblemKind, Step, parse_step, parse_steps

TOOLS = {
    "read_note": {"properties": {"note_id": {"type": "string"}}, "required": ["note_id"]},
    "delete_notes": {"properties": {"older_than": {"type": "string"}}},
    "get_stock": {"properties": {"shelf": {"type": "string"}}, "required": ["shelf"]},
    "pay": {
        "properties": {"id": {"const": "inv-7"}, "cents": {"enum": [100, 200]}},
        "required": ["id", "cents"],
    },
    "clock": {"properties": {}},
    FINAL: {"properties": {"answer": {"type": "string"}}, "required": ["answer"]},
}
READ = Step("", "read_note", {"note_id": "n-7"})


@pytest.mark.parametrize(
    "reply",
    [
        '{"name":"read_note","arguments":{"note_id":"n-7"}}',
        '<tool_call>\n{"name":"read_note","arguments":{"note_id":"n-7"}}\n</tool_call>',
        '<tool_call>{"name":"read_note","arguments":{"note_id":"n-7"}}',
        'I will look it up.\n```json\n{"name":"read_note","arguments":{"note_id":"n-7"}}\n```',
        '{"name":"read_note","parameters":{"note_id":"n-7"}}',
        '{"action":"read_note","input":{"note_id":"n-7"}}',
        '{"step":{"action":"read_note","input":{"note_id":"n-7"}}}',
        '{"action":"read_note","action_input":"{\\"note_id\\": \\"n-7\\"}"}',
        '{"type":"function","function":{"name":"read_note","arguments":"{\\"note_id\\":\\"n-7\\"}"}}',
        '{"tool_calls":[{"function":{"name":"read_note","arguments":{"note_id":"n-7"}}}]}',
        '{"function":"read_note","arguments":{"note_id":"n-7"}}',
        '{"action":{"name":"read_note","arguments":{"note_id":"n-7"}}}',
        "{'action': 'read_note', 'input': {'note_id': 'n-7'}}",
        'Action: read_note\nAction Input: {"note_id": "n-7"}',
        '**Action:** `read_note`\n**Action Input:** {"note_id": "n-7"}\nObservation: made up\nFinal Answer: 3',
        'Action: read_note({"note_id": "n-7"})',
        '行动：read_note\n行动输入：{"note_id": "n-7"}',
        '<think>which note?</think>{"action":"read_note","input":{"note_id":"n-7"}}',
        '{"name":"functions.read_note","arguments":{"note_id":"n-7"},"action":"functions.read_note"}',
    ],
)
def test_a_call_is_read_in_every_shape_models_write(reply):
    assert parse_step(reply, TOOLS) == READ


@pytest.mark.parametrize(
    "reply",
    [
        '{"thought":"I need n-7","action":"read_note","input":{"note_id":"n-7"}}',
        '{"step":{"thought":"I need n-7","action":"read_note","input":{"note_id":"n-7"}}}',
        '{"thought":"I need n-7","step":{"action":"read_note","input":{"note_id":"n-7"}}}',
        'Thought: I need n-7\nAction: read_note\nAction Input: {"note_id": "n-7"}',
        '思考：I need n-7\n动作：read_note\n动作输入：```json\n{"note_id": "n-7"}\n```',
    ],
)
def test_the_thought_comes_along(reply):
    assert parse_step(reply, TOOLS) == Step("I need n-7", "read_note", {"note_id": "n-7"})


@pytest.mark.parametrize(
    "reply",
    [
        "Thought: done\nFinal Answer: 42",
        '{"thought":"done","action":"final_answer","input":{"answer":"42"}}',
        '{"thought":"done","action":"final_answer","input":"42"}',
        '{"thought":"done","final_answer":"42"}',
        "思考：done\n最终答案：42",
    ],
)
def test_a_final_answer_is_a_step(reply):
    assert parse_step(reply, TOOLS) == Step("done", FINAL, {"answer": "42"})


def test_a_final_answer_that_is_not_offered_now_is_refused():
    open_items = {name: schema for name, schema in TOOLS.items() if name != FINAL}
    problem = parse_step("Final Answer: 42", open_items)
    assert isinstance(problem, Problem)
    assert problem.kind is ProblemKind.UNKNOWN_TOOL
    assert "read_note" in problem.text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ('{"older_than": "2026-01-', "cut off"),
        ("null", "null"),
        ("[1,2]", "[1, 2]"),
        ('"yesterday"', "yesterday"),
        ('{"before": "2026"}', "before"),
    ],
)
def test_bad_arguments_are_named_and_the_tool_is_not_run(arguments, named):
    try:
        args = json.loads(arguments)
    except ValueError:
        args = arguments
    for reply, calls in (
        (json.dumps({"name": "delete_notes", "arguments": args}), []),
        (json.dumps({"action": "delete_notes", "input": args}), []),
        ("", [{"name": "delete_notes", "args": args, "id": "c1"}]),
    ):
        problem = parse_step(reply, TOOLS, tool_calls=calls)
        assert isinstance(problem, Problem)
        assert problem.kind is ProblemKind.BAD_ARGUMENTS
        assert named in problem.text
        assert "older_than" in problem.text, "the tool's schema helps the model"


def test_arguments_with_single_quotes_are_read_as_meant():
    step = parse_step("{'name': 'delete_notes', 'arguments': {'older_than': '2026-01-05'}}", TOOLS)
    assert step == Step("", "delete_notes", {"older_than": "2026-01-05"})


def test_arguments_that_were_left_out_are_never_read_as_none_given():
    problem = parse_step('{"action": "delete_notes"}', TOOLS)
    assert isinstance(problem, Problem)
    assert problem.kind is ProblemKind.BAD_ARGUMENTS
    assert parse_step('{"action": "clock"}', TOOLS) == Step("", "clock", {})
    assert parse_step('{"action": "clock", "input": null}', TOOLS) == Step("", "clock", {})


@pytest.mark.parametrize("given", [{"id": "inv-7"}, {"id": None, "cents": 100}, {"id": "inv-8", "cents": 100}])
def test_missing_and_forbidden_values_are_refused(given):
    problem = parse_step(json.dumps({"action": "pay", "input": given}), TOOLS)
    assert isinstance(problem, Problem)
    assert problem.kind is ProblemKind.BAD_ARGUMENTS


def test_allowed_values_pass():
    assert parse_step('{"action":"pay","input":{"id":"inv-7","cents":200}}', TOOLS) == Step(
        "", "pay", {"id": "inv-7", "cents": 200}
    )


def test_json_that_names_no_tool_of_ours_stays_text():
    for reply in ('{"name":"launch","arguments":{}}', '{"name": "Anna", "age": 3}', '{"total": 417.25}'):
        problem = parse_step(reply, TOOLS)
        assert isinstance(problem, Problem)
        assert problem.kind is ProblemKind.NO_CALL
        assert problem.reply == reply


def test_an_unknown_tool_is_never_guessed():
    for reply in ('{"action":"read_notes","input":{"note_id":"n-7"}}', "Action: Read\nAction Input: {}"):
        problem = parse_step(reply, TOOLS)
        assert isinstance(problem, Problem)
        assert problem.kind is ProblemKind.UNKNOWN_TOOL


@pytest.mark.parametrize("request_", ["show me an example JSON tool call", "给我看一个工具调用的示例 JSON"])
def test_a_call_the_user_asked_to_see_stays_text(request_):
    reply = '{"name":"read_note","arguments":{"note_id":"n-7"}}'
    problem = parse_step(reply, TOOLS, request=request_)
    assert isinstance(problem, Problem)
    assert problem.kind is ProblemKind.NO_CALL
    assert parse_step(reply, TOOLS, request="show me note n-7") == READ


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("", ProblemKind.EMPTY),
        ("<think>hm", ProblemKind.EMPTY),
        ("The total is 417.25.", ProblemKind.NO_CALL),
        ('{"thought": "I need n-7", "action": "read_no', ProblemKind.CUT),
        ('```json\n{"action": "delete_notes", "input": {"older_than": "2026', ProblemKind.CUT),
    ],
)
def test_what_is_no_step_has_its_kind(reply, kind):
    problem = parse_step(reply, TOOLS)
    assert isinstance(problem, Problem)
    assert problem.kind is kind


def test_two_native_calls_keep_their_own_arguments():
    calls = [{"name": "get_stock", "args": {"shelf": shelf}, "id": "get_stock"} for shelf in "AC"]
    assert parse_steps("", TOOLS, tool_calls=calls) == [
        Step("", "get_stock", {"shelf": "A"}),
        Step("", "get_stock", {"shelf": "C"}),
    ]


def test_two_tagged_calls_are_two_steps_but_a_second_object_was_imagined():
    call = '{{"name":"get_stock","arguments":{{"shelf":"{}"}}}}'
    tagged = "".join(f"<tool_call>{call.format(shelf)}</tool_call>" for shelf in "AC")
    bare = f"{call.format('A')}\nResult: 12\n{call.format('C')}"
    assert [step.input["shelf"] for step in parse_steps(tagged, TOOLS)] == ["A", "C"]
    assert [step.input["shelf"] for step in parse_steps(bare, TOOLS)] == ["A"]


def test_a_tool_argument_that_is_called_action_is_no_step():
    tools = {"door": {"properties": {"action": {"type": "string"}}, "required": ["action"]}}
    step = parse_step('Thought: open it\nAction: door\nAction Input: {"action": "open"}', tools)
    assert step == Step("open it", "door", {"action": "open"})


def test_long_replies_are_clipped_in_the_problem_and_kept_beside_it():
    reply = "word " * 4000
    problem = parse_step(reply, TOOLS)
    assert isinstance(problem, Problem)
    assert len(problem.text) < 600
    assert problem.reply == reply.strip()


WORDS = '{ } " \' : , [ ] "action" "input" "name" "step" "function" read_note Action: 行动： Observation: null \\'
PIECES = [*WORDS.split(), "<tool_call>", "</tool_call>", "<think>", "Action Input:", "Final Answer:", "\n"]
pieces = st.sampled_from(PIECES)
keys = st.sampled_from(["step", "action", "name", "input", "arguments", "function", "tool_calls", "thought"])


@given(st.lists(pieces).map("".join) | st.text())
def test_nothing_a_model_may_write_raises(reply):
    assert isinstance(parse_step(reply, TOOLS), Step | Problem)


@given(
    st.recursive(
        st.none() | st.integers() | st.text() | st.sampled_from(sorted(TOOLS)),
        lambda inner: st.lists(inner) | st.dictionaries(keys, inner),
    )
)
def test_only_known_tools_come_through_whatever_json_is_written(data):
    step = parse_step(json.dumps(data), TOOLS)
    assert isinstance(step, Problem) or step.action in TOOLS

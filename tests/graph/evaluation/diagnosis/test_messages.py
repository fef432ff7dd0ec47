"""Messages are read in every form in which agents keep them; what holds none is refused with what is wanted."""

from __future__ import annotations

import json

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, messages_to_dict
from talks import CLEAN, ERRORS

from memory_secretary.graph.evaluation.diagnosis.messages import Call, messages_of, read_messages
from memory_secretary.memory.errors import InvalidRecord

CALLS = [{"name": "look", "args": {"at": "yard"}, "id": "c1", "type": "tool_call"}]
TALK = [
    SystemMessage("Be brief."), HumanMessage("Look at the yard."), AIMessage("I look.", tool_calls=CALLS),
    ToolMessage("Swept.", tool_call_id="c1", name="look"), AIMessage("The yard is swept."),
]  # fmt: skip
OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Look at the yard."}]},
    {"role": "assistant", "content": "I look.", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "yard"}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "Swept."},
    {"role": "assistant", "content": "The yard is swept."},
]  # fmt: skip
ANTHROPIC = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Look at the yard."},
    {"role": "assistant", "content": [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "yard"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "Swept."}]},
    {"role": "assistant", "content": "The yard is swept."},
]  # fmt: skip
FORMS = {
    "messages_to_dict": messages_to_dict(TALK),
    "model_dump": [message.model_dump() for message in TALK],
    "dumpd": [dumpd(message) for message in TALK],
    "openai": OPENAI,
    "anthropic": ANTHROPIC,
}
FILES = {
    "array": json.dumps,
    "a line each": lambda form: "\n".join(json.dumps(each) for each in form) + "\n\n",
    "a state": lambda form: json.dumps({"messages": form, "other": 1}, indent=1),
    "a snapshot": lambda form: json.dumps({"values": {"messages": form}, "next": []}),
    "a stream of states": lambda form: json.dumps([{"messages": form[:2]}, {"messages": form}]),
    "a stream with modes": lambda form: "\n".join(json.dumps(["values", {"messages": form[:n]}]) for n in (2, 5)),
    "with a byte order mark": lambda form: "\ufeff" + json.dumps(form),
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_in_every_file_is_the_same_talk(tmp_path, form, file):
    path = tmp_path / "talk.json"
    path.write_text(FILES[file](FORMS[form]), "utf-8")
    found = read_messages(path)
    assert [(message.role, message.text, message.step) for message in found] == [
        ("system", "Be brief.", 0), ("user", "Look at the yard.", 0), ("assistant", "I look.", 1),
        ("tool", "Swept.", 1), ("assistant", "The yard is swept.", 2),
    ]  # fmt: skip
    assert found[2].calls == (Call("look", {"at": "yard"}, "c1"),) and found[3].answers == "c1"


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "first the yard", "action": "look", "input": {"at": "yard"}}',
        'Sure:\n```json\n{"name": "look", "arguments": {"at": "yard"}}\n```',
        '{"step": {"thought": "first the yard", "action": "look", "input": {"at": "yard"}}}',
        'Thought: first the yard\nAction: look\nAction Input: {"at": "yard"}',
    ],
)
@pytest.mark.parametrize("result", ["Result of look(at=yard):\nSwept.", "Observation: Swept.", "工具返回：扫过了。"])
def test_a_call_in_the_text_and_its_result_as_the_users_words_are_read_as_such(text, result):
    talk = [("user", "Look."), ("assistant", text), ("user", result), ("assistant", "Swept.")]
    found = messages_of([{"role": role, "content": content} for role, content in talk])
    assert [message.role for message in found] == ["user", "assistant", "tool", "assistant"]
    assert found[1].calls == (Call("look", {"at": "yard"}),)


def test_an_answer_in_the_form_of_a_step_is_an_answer():
    step = '{"thought": "done", "action": "final_answer", "input": {"answer": "The yard is swept."}}'
    [found] = messages_of([{"role": "assistant", "content": step}])
    assert found.text == "The yard is swept." and not found.calls


def test_arguments_that_are_no_json_are_kept_as_they_are():
    function = {"name": "look", "arguments": '{"at": "ya'}
    [found] = messages_of([{"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": function}]}])
    assert found.calls[0].arguments == {"input": '{"at": "ya'}


@pytest.mark.parametrize("text", ["", "hello", "[]", '{"a": 1}', '[{"role": "user", "content": "Hi"}]', "[1, null]"])
def test_what_holds_no_assistant_is_refused_with_what_is_wanted(tmp_path, text):
    path = tmp_path / "talk.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidRecord, match="OpenAI chat messages or a LangGraph state"):
        read_messages(path)


def test_a_trace_of_our_own_is_named_so(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"kind": "run", "run": "a", "thread": "t"}\n', "utf-8")
    with pytest.raises(InvalidRecord, match="program's own"):
        read_messages(path)


def test_the_hand_made_talks_are_in_a_known_form():
    for talk in (*CLEAN.values(), *(talk for _, talk in ERRORS.values())):
        assert len(messages_of(talk)) == len(talk)

"""What a checkpointer is given to write: no secret, not much, and an error that names the cure when it cannot."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import contextmanager

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt
from policy import PolicyModel, step

from memory_secretary.graph import checkpoints, open_checkpointer
from memory_secretary.graph.checkpoints import MaskingSaver, without_secrets
from memory_secretary.memory.errors import StorageError
from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.nodes.state import KEPT_MESSAGES

THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")
KB = 1024
SK = "sk-" + "EXAMPLE" * 5
AWS = "AKIA" + "EXAMPLE0EXAMPLE0"
PASSWORD = "tr0ub4dor-x9"


def ask(text):
    return {"messages": [("user", text)]}


def once(first, answer="Done."):
    """A model that takes one step and answers as soon as the brief shows that it was tried."""
    return PolicyModel(rule=lambda prompt: step("final_answer", answer=answer) if "→" in prompt else first)


def files_with(folder, *secrets):
    """The files in which one of them stands, as UTF-8 or escaped as in JSON."""
    forms = [form for secret in secrets for form in (secret.encode(), json.dumps(secret)[1:-1].encode())]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 1
    return [path.name for path in files if any(form in path.read_bytes() for form in forms)]


class Doors:
    """Tools that take and give secrets, and what they were called with."""

    def __init__(self):
        self.got = []

    def login(self, user: str, password: str) -> str:
        """Log in as a user."""
        self.got.append(password)
        return "logged in"

    def env(self) -> str:
        """Show the environment."""
        return f"key={AWS}\nAuthorization: Bearer abcDEF123456ghiJKL"

    def ask_user(self, question: str) -> str:
        """Ask the user."""
        return f"The user said: {interrupt({'question': question, 'login': {'password': PASSWORD}})}"


@contextmanager
def plain_sqlite(path):
    with SqliteSaver.from_conn_string(str(path)) as saver:
        yield saver


def test_a_value_is_masked_once_however_often_it_is_handed_over(monkeypatch):
    masked, mask_data = [], checkpoints.mask_data
    monkeypatch.setattr(checkpoints, "mask_data", lambda *given: masked.append(given[0]) or mask_data(*given))
    saver, config = without_secrets(InMemorySaver()), {"configurable": {"thread_id": "t1", "checkpoint_ns": ""}}
    plan, login, doors = ["by train"], {"password": PASSWORD}, {"user": "bob", "password": PASSWORD}
    for values in ({"plan": plan, "login": login}, {"plan": plan, "login": doors, "password": PASSWORD}):
        checkpoint = {**empty_checkpoint(), "channel_values": values}
        versions = dict.fromkeys(values, 1 if values["login"] is login else 2)
        config = saver.put(config, checkpoint | {"channel_versions": versions}, {}, versions)
    kept = saver.get_tuple(config).checkpoint["channel_values"]
    assert masked == [{"plan": plan}, {"login": login}, {"login": doors}, {"password": PASSWORD}]
    assert kept["plan"] == plan
    assert kept["password"] == "«secret:password»"
    assert kept["login"] == {"user": "bob", "password": "«secret:password»"}


@pytest.mark.parametrize("opened", [open_checkpointer, plain_sqlite])
@pytest.mark.parametrize(
    ("request_", "secrets"),
    [
        (f"remember: db password is {PASSWORD}, and staging uses key {SK}", (PASSWORD, SK)),
        (f"记住：数据库密码是{PASSWORD}，服务器的口令为Abcd1234芝麻", (PASSWORD, "Abcd1234")),
        ("我的wifi密码：correcthorsebattery", ("correcthorsebattery",)),
    ],
)
def test_no_byte_of_what_the_user_must_keep_secret_is_in_any_file(new_graph, tmp_path, opened, request_, secrets):
    with opened(tmp_path / "checkpoints.sqlite") as saver:
        out = new_graph(once(step("final_answer", answer="Noted.")), checkpointer=saver).invoke(ask(request_), THREAD)
        assert files_with(tmp_path, *secrets) == []
    assert out["status"] == "done"
    assert "«secret:password»" in out["messages"][0].text
    assert "«secret:password»" in out["task_state"]["goal"]
    assert not any(secret in str(out) for secret in secrets)


@pytest.mark.parametrize(
    "request_", [f"Log in as bob with password {PASSWORD}", f"请登录，用户 bob，密码是 {PASSWORD}"]
)
def test_a_tool_gets_the_password_that_was_just_given_and_no_file_does(new_graph, tmp_path, request_):
    doors = Doors()
    model = once(step("login", user="bob", password=PASSWORD))
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = new_graph(model, [doors.login], checkpointer=saver)
        out = graph.invoke(ask(request_), THREAD)
        assert files_with(tmp_path, PASSWORD) == []
    assert doors.got == [PASSWORD]
    assert out["status"] == "done"


def test_secrets_of_tools_thoughts_and_answers_are_in_no_file(new_graph, tmp_path):
    told = {"step": {"thought": f"it is {AWS}", "action": "final_answer", "input": {"answer": f"It is {AWS}."}}}
    model = PolicyModel(rule=lambda prompt: told if "→" in prompt else step("env"))
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        out = new_graph(model, [Doors().env], checkpointer=saver).invoke(ask("What is in the env?"), THREAD)
        assert files_with(tmp_path, AWS, "abcDEF123456ghiJKL") == []
    assert out["messages"][-1].text == "It is «secret:aws-key»."


async def test_a_question_and_its_answer_leave_no_secret_in_a_file_either(new_graph, memory, tmp_path):
    model = once(step("ask_user", question="Which code?"))
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = new_graph(model, [Doors().ask_user], checkpointer=saver)
        out = await graph.ainvoke(ask("Ask me for the code."), THREAD)
        assert out["__interrupt__"][0].value["login"] == {"password": PASSWORD}
        out = await graph.ainvoke(Command(resume=f"the key is {SK}"), THREAD)
        assert files_with(tmp_path, SK, PASSWORD) == []
    assert out["status"] == "done"
    [result] = [event.observation for event in memory.events(SCOPE) if event.phase is Phase.RESULT]
    assert result == "The user said: the key is «secret:api-key»"


def test_after_a_resume_the_secret_has_to_be_given_again_and_then_serves(new_graph):
    doors = Doors()

    def rule(prompt):
        if "→" in prompt:
            return step("final_answer", answer="Logged in.")
        return step("login", user="bob", password=PASSWORD if PASSWORD in prompt else "«secret:password»")

    new_graph(PolicyModel(rule=lambda prompt: ""), [doors.login]).invoke(
        ask(f"Log in as bob with password {PASSWORD}"), THREAD
    )
    graph = new_graph(PolicyModel(rule=rule), [doors.login])
    refused = [
        chunk["reminder"]
        for chunk in graph.stream({"messages": []}, THREAD, stream_mode="custom")
        if chunk["node"] == "act"
    ]
    assert doors.got == []
    assert "was not kept. The user must give it again" in refused[0]
    out = graph.invoke(ask(f"The password is {PASSWORD}"), THREAD)
    assert doors.got == [PASSWORD]
    assert out["messages"][-1].text == "Logged in."


def test_the_refusal_of_a_mark_is_in_the_users_language(new_graph):
    doors = Doors()
    model = PolicyModel(rule=lambda prompt: step("login", user="bob", password="«secret:password»"))
    graph = new_graph(model, [doors.login])
    chunks = [c for c in graph.stream(ask("请用 bob 登录"), THREAD, stream_mode="custom") if c["node"] == "act"]
    assert "必须由用户重新提供" in chunks[0]["reminder"]
    assert doors.got == []


@pytest.mark.parametrize(
    ("text", "words"), [(f"my password is {PASSWORD}", "is kept nowhere"), (f"密码是{PASSWORD}", "不会保存")]
)
def test_the_user_is_told_that_a_secret_is_not_kept(new_graph, text, words):
    graph = new_graph(once(step("final_answer", answer="Noted.")))
    chunks = list(graph.stream(ask(text), THREAD, stream_mode="custom"))
    notes = [note for chunk in chunks for note in chunk.get("notes", ())]
    assert [words in note for note in notes] == [True]


def test_a_savers_copy_masks_and_the_saver_stays_what_it_was():
    saver = InMemorySaver()
    masking = without_secrets(saver)
    assert isinstance(masking, MaskingSaver)
    assert isinstance(masking, InMemorySaver)
    assert not isinstance(saver, MaskingSaver)
    assert without_secrets(masking) is masking
    assert masking.storage is saver.storage


def test_a_masked_checkpoint_is_otherwise_the_same(tmp_path):
    message = AIMessage(
        f"key {SK}", id="m1", tool_calls=[{"name": "login", "args": {"password": "open sesame", "n": 1}, "id": "c1"}]
    )
    state = {"messages": [HumanMessage("hello", id="m0"), message], "n": [1, "two"], "none": None}
    checkpoint = {
        "v": 4, "id": "1f0", "ts": "2026-03-01T00:00:00+00:00", "channel_values": state,
        "channel_versions": {"messages": "1.0"}, "versions_seen": {}, "updated_channels": None,
    }  # fmt: skip
    config = {"configurable": {"thread_id": "t1", "checkpoint_ns": ""}}
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        saver.put(config, checkpoint, {"source": "loop", "step": 0, "parents": {}}, {})
        stored = asyncio.run(saver.aget_tuple(config)).checkpoint["channel_values"]
    assert message.content == f"key {SK}", "what the run holds is not touched"
    assert stored["messages"][0] == state["messages"][0]
    assert (stored["messages"][1].content, stored["messages"][1].id) == ("key «secret:api-key»", "m1")
    assert stored["messages"][1].tool_calls[0]["args"] == {"password": "«secret:password»", "n": 1}
    assert (stored["n"], stored["none"]) == ([1, "two"], None)


@pytest.mark.parametrize("spoilt", [b"junk" * 500, b"SQLite format 3\x00" + b"\xab" * 4000])
def test_a_damaged_checkpoint_file_is_one_sentence(tmp_path, spoilt):
    path = tmp_path / "checkpoints.sqlite"
    path.write_bytes(spoilt)
    with pytest.raises(StorageError, match="move it away") as caught, open_checkpointer(path):
        pass
    assert "请移走它" in caught.value.sentence("zh")


def test_a_folder_in_the_checkpoint_files_place_is_one_sentence(tmp_path):
    with pytest.raises(StorageError, match="cannot be used"), open_checkpointer(tmp_path):
        pass


def test_an_error_inside_the_block_stays_what_it_is(tmp_path):
    with pytest.raises(sqlite3.OperationalError), open_checkpointer(tmp_path / "checkpoints.sqlite"):
        raise sqlite3.OperationalError


@pytest.mark.parametrize("words", ["word " * 19, "字" * 30])
def test_a_checkpoint_stays_small_however_many_turns_there_were(new_graph, tmp_path, words):
    path, said = tmp_path / "checkpoints.sqlite", [(kind, words) for _ in range(30) for kind in ("user", "ai")]
    with open_checkpointer(path) as saver:
        graph = new_graph(once(step("final_answer", answer=words)), checkpointer=saver, recall=False)
        graph.update_state(THREAD, {"messages": said}, "precipitate")
        for _ in range(2):
            out = graph.invoke(ask(words), THREAD)
    assert KEPT_MESSAGES // 2 <= len(out["messages"]) <= KEPT_MESSAGES
    with sqlite3.connect(path) as rows:
        [sizes] = rows.execute("select group_concat(length(checkpoint)) from checkpoints").fetchall()
    assert max(list(map(int, sizes[0].split(",")))[3:]) < 16 * KB


def test_a_long_message_makes_the_following_checkpoints_no_larger(new_graph, memory, tmp_path):
    path = tmp_path / "checkpoints.sqlite"
    text = "word " * 40_000
    with open_checkpointer(path) as saver:
        graph = new_graph(once(step("final_answer", answer="Read.")), checkpointer=saver)
        graph.invoke(ask(text), THREAD)
        graph.invoke(ask("And now?"), THREAD)
        state = graph.get_state(THREAD)
    assert memory.events(SCOPE)[0].observation == text
    assert "characters left out; read_record(" in state.values["messages"][0].text
    with sqlite3.connect(path) as rows:
        newest = rows.execute(
            "select length(checkpoint) from checkpoints order by checkpoint_id desc limit 1"
        ).fetchone()
    assert newest[0] < 32 * KB
    assert path.stat().st_size < 6 * len(text)

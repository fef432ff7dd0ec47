"""A secret that the executor only knows by its mark reaches the tool, and nothing that is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from policy import PolicyModel, step

from memory_secretary.memory.scope import Scope

PASSWORD = "tr0ub4dor-x9"
MARK = "«secret:password»"
THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")


def login(password: str) -> str:
    """Log in to the database."""
    return f"logged in with {password}" if password == PASSWORD else f"refused: {password}"


def with_mark(prompt: str) -> str:
    return step("final_answer", answer="Done.") if "→" in prompt else step("login", password=MARK)


@pytest.mark.parametrize("request_", [f"Log in; the db password is {PASSWORD}", f"登录数据库，密码是{PASSWORD}"])
def test_a_masked_value_is_put_back_into_the_call_and_stays_out_of_the_folder(
    new_graph, memory, tmp_path: Path, request_: str
) -> None:
    graph = new_graph(PolicyModel(rule=with_mark), [login])
    out = graph.invoke({"messages": [("user", request_)]}, THREAD)
    (result,) = [event for event in memory.events(SCOPE) if event.phase == "result"]
    assert (result.arguments, result.observation) == ({"password": MARK}, f"logged in with {MARK}")
    assert out["status"] == "done"
    memory.close()
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and PASSWORD.encode() in file.read_bytes()]


def test_after_a_restart_the_call_is_not_run_and_the_brief_asks_for_the_secret(new_graph, memory) -> None:
    memory.record(SCOPE, actor="user", action="request", observation=f"the db password is {PASSWORD}")
    model = PolicyModel(rule=lambda prompt: with_mark("" if "secret" not in prompt else "→"))
    new_graph(model, [login]).invoke({"messages": [("user", "log in again")]}, THREAD)
    assert not [event for event in memory.events(SCOPE) if event.action == "login"]

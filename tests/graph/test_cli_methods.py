"""`distill --methods`: the cost first, then what was learned; exit status and both languages."""

from __future__ import annotations

import json

import pytest
from long_walk import LongWalk
from policy import PolicyModel
from typer.testing import CliRunner

from memory_secretary.graph import Settings, build_graph, cli_fetch
from memory_secretary.graph.cli import app
from memory_secretary.memory import MemoryType, Scope, TieredMemory
from memory_secretary.nodes.models import resolve

ANA = Scope(user="ana")
ANSWER = {
    "sub_goals": [{"text": "list the records", "tool": "list_records"}, {"text": "give the total", "tool": "answer"}],
    "note": [], "look_up": [], "check": ["every record was opened"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A memory in which one task was finished."""
    world = LongWalk(3)
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        graph = build_graph(world.worker(), memory=memory, tools=world.tools(), settings=Settings(user_id="ana"))
        graph.invoke({"messages": [("user", world.goal)]}, {"configurable": {"thread_id": "t1"}})
    return tmp_path / "memory"


@pytest.fixture
def distill(folder, monkeypatch):
    """Runs the command with a scripted teacher."""
    made = resolve.resolve_model
    monkeypatch.setattr(cli_fetch, "fetch_weights", lambda *_: None)

    def call(*words, answer=ANSWER, typed=None, user="ana"):
        model = PolicyModel(rule=answer if callable(answer) else lambda prompt: answer)
        monkeypatch.setattr(resolve, "resolve_model", lambda spec, **options: made(model, **options))
        own = ["--memory", str(folder), "--user", user, "--embedder", "none"]
        return CliRunner().invoke(app, ["distill", "--methods", *map(str, words), *own], input=typed)

    return call


def cards(folder):
    with TieredMemory.open(folder, embedder=None) as memory:
        return [card for card in memory.list(ANA) if card.type is MemoryType.METHOD]


@pytest.mark.parametrize(
    ("lang", "outlook", "end"),
    [
        ("en", "Finished tasks: 1; kinds whose method stays as it is: 0; kinds to be learned: 1", "Methods written: 1"),
        ("zh", "已完成的任务 1 个；做法不变的种类 0 个；要学的种类 1 个", "写入做法 1 张"),
    ],
)
def test_the_cost_is_told_and_agreed_to_then_the_methods_are_written(distill, folder, lang, outlook, end):
    result = distill("--lang", lang, typed="y\n")
    assert result.exit_code == 0, result.output
    assert result.output.index(outlook) < result.output.index(end)
    assert "MEMORY_SECRETARY_METHODS=1" in result.output
    assert len(cards(folder)) == 1


def test_a_no_and_a_dry_run_write_nothing_and_ask_no_model(distill, folder):
    def never(prompt):
        raise AssertionError(prompt)

    assert distill(answer=never, typed="n\n").exit_code == 1
    told = distill("--dry-run", "--price", "3", answer=never)
    assert (told.exit_code, "Price" in told.output) == (0, True)
    figures = json.loads(distill("--dry-run", "--json", answer=never).output)
    assert {name: figures[name] for name in ("tasks", "kinds", "unchanged")} == {"tasks": 1, "kinds": 1, "unchanged": 0}
    assert figures["prompt_tokens"] > 100
    assert cards(folder) == []


def test_what_is_learned_is_not_asked_about_again(distill):
    distill("--yes")
    again = distill()
    assert (again.exit_code, "kinds to be learned: 0" in again.output, "Go on?" in again.output) == (0, True, False)
    assert "kinds to be learned: 1" in distill("--again", "--dry-run").output


def test_nothing_finished_is_no_failure(distill):
    result = distill(user="ben")
    assert (result.exit_code, "Finished tasks: 0" in result.output) == (0, True)


def test_what_failed_is_listed_with_its_reason_and_the_exit_status_says_so(distill, folder):
    result = distill("--yes", answer="nothing")
    assert result.exit_code == 1
    assert "Failed (1); the next run tries again:" in result.output
    assert "en:values:get_record,list_records" in result.output
    assert distill("--yes").exit_code == 0
    assert len(cards(folder)) == 1


def test_a_limit_of_calls_leaves_the_rest_for_the_next_time(distill):
    result = distill("--yes", "--calls", "0", "--json")
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (1, "stopped")
    told = json.loads(distill("--yes", "--json").stdout)
    assert (told["status"], told["methods"], len(told["cards"])) == ("done", 1, 1)


def test_ctrl_c_says_that_the_same_command_goes_on(distill):
    def rule(prompt):
        raise KeyboardInterrupt

    result = distill("--yes", answer=rule)
    assert (result.exit_code, "the same command goes on" in result.output) == (130, True)


def test_without_anything_to_distill_all_three_ways_are_named(monkeypatch):
    result = CliRunner().invoke(app, ["distill"])
    assert (result.exit_code, "--methods" in result.output) == (2, True)


def test_a_method_is_shown_with_its_lines(distill, folder):
    distill("--yes")
    [card] = cards(folder)
    own = ["--memory", str(folder), "--user", "ana", "--embedder", "none", "--lang", "en"]
    shown = CliRunner().invoke(app, ["memory", "show", card.memory_id, *own])
    assert shown.output.rstrip().endswith(card.content)

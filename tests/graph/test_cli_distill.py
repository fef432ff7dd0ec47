"""`distill` on the command line: the cost first, then the bar, then what came of it; exit status and both languages."""

from __future__ import annotations

import json

import pytest
from papers import TRAVEL
from teachers import card, every_line, teacher
from typer.testing import CliRunner

from memory_secretary.graph import cli_fetch
from memory_secretary.graph.cli import app
from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.nodes.models import resolve

ANA = Scope(user="ana")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "papers"
    made.mkdir()
    (made / "travel.md").write_text(TRAVEL)
    return made


@pytest.fixture
def distill(tmp_path, monkeypatch):
    """Runs the command with a scripted teacher."""
    made = resolve.resolve_model
    monkeypatch.setattr(cli_fetch, "fetch_weights", lambda *_: None)

    def call(*words, model=None, answer=None):
        monkeypatch.setattr(resolve, "resolve_model", lambda spec, **options: made(model or teacher(), **options))
        own = ["--memory", str(tmp_path / "memory"), "--user", "ana", "--embedder", "none"]
        return CliRunner().invoke(app, ["distill", *map(str, words), *own], input=answer)

    return call


def cards(tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        return memory.list(ANA)


@pytest.mark.parametrize(
    ("lang", "outlook", "end"),
    [
        ("en", "To be read by the teacher: 4 passages", "Documents distilled: 1; unchanged: 0; passages read: 4"),
        ("zh", "教师模型要读 4 段", "提炼文档 1 个；未变 0 个；读了 4 段"),
    ],
)
def test_the_cost_is_told_and_agreed_to_then_the_cards_are_written(distill, folder, tmp_path, lang, outlook, end):
    result = distill(folder, "--lang", lang, answer="y\n")
    assert result.exit_code == 0, result.output
    assert result.output.index(outlook) < result.output.index(end)
    assert len(cards(tmp_path)) == 7


def test_a_no_changes_nothing_and_nobody_there_is_told_of_yes(distill, folder, tmp_path):
    assert distill(folder, answer="n\n").exit_code == 1
    refused = distill(folder)
    assert (refused.exit_code, "add --yes" in refused.output) == (2, True)
    assert cards(tmp_path) == []


def test_a_dry_run_asks_no_model_and_writes_nothing(distill, folder, tmp_path):
    def never(prompt):
        raise AssertionError(prompt)

    result = distill(folder, "--dry-run", "--price", "3", model=teacher(never))
    assert result.exit_code == 0
    assert "known once this teacher" in result.output
    assert "Price" in result.output
    told = json.loads(distill(folder, "--dry-run", "--json").output)
    assert {name: told[name] for name in ("documents", "unchanged", "passages", "failures")} == {
        "documents": 1, "unchanged": 0, "passages": 4, "failures": [],
    }  # fmt: skip
    assert cards(tmp_path) == []


def test_what_is_unchanged_is_not_asked_about_and_the_pace_is_known_from_then_on(distill, folder):
    distill(folder, "--yes")
    again = distill(folder)
    assert (again.exit_code, "unchanged: 1" in again.output, "Go on?" in again.output) == (0, True, False)
    assert "At the pace of the last time" in distill(folder, "--again", "--dry-run").output


def test_json_has_figures_failures_and_status(distill, folder):
    (folder / "empty.txt").write_text("")
    result = distill(folder, "--yes", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["status"], told["cards"], told["calls"]) == (1, "done", 7, 4)
    [failure] = told["failures"]
    assert failure["path"].endswith("empty.txt")


def test_failures_are_listed_with_their_reason_and_the_rest_is_counted(distill, folder):
    for n in range(30):
        (folder / f"{n:02}.png").write_bytes(b"\x89PNG")
    result = distill(folder, "--yes")
    assert result.exit_code == 1
    assert "Failed (30); the next run tries again:" in result.output
    assert "no document of a known kind" in result.output
    assert "and 10 more" in result.output


def test_what_is_gone_and_what_was_refused_are_told(distill, folder):
    (folder / "old.txt").write_text("The kiln is hot.")
    distill(folder, "--yes")
    (folder / "old.txt").unlink()
    (folder / "new.txt").write_text("The oven is cold. The shed is red.")
    strange = teacher(lambda prompt: {"cards": [*every_line(prompt)["cards"], card("1", "Whales sing at 900 Hz")]})
    result = distill(folder, "--yes", model=strange)
    assert "gone from there" in result.output
    assert "old.txt" in result.output


def test_the_limit_of_calls_leaves_the_rest_for_the_next_time(distill, folder):
    result = distill(folder, "--yes", "--calls", "2")
    assert (result.exit_code, "no call is left" in result.output) == (1, True)
    assert "passages read: 2" in distill(folder, "--yes").output


def test_nothing_named_and_unknown_teachers_are_refused(distill, folder):
    nothing = distill()
    assert (nothing.exit_code, "give files or folders" in nothing.output) == (2, True)
    result = distill(folder, "--teacher", "nobody")
    assert (result.exit_code, "no model is called 'nobody'" in result.output) == (2, True)


@pytest.mark.parametrize(("lang", "words"), [("en", "check the name"), ("zh", "请检查名称")])
@pytest.mark.parametrize("names", [["papre"], ["papre", "*.nothing"], ["papre", "--dry-run"], ["papre", "--json"]])
def test_a_mistyped_name_is_refused_before_anything_is_made(distill, tmp_path, names, lang, words):
    result = distill(*names, "--lang", lang)
    assert (result.exit_code, result.stdout) == (2, "")
    [sentence] = result.stderr.splitlines()
    assert "papre" in sentence
    assert words in sentence
    assert not (tmp_path / "memory").exists()


def test_a_mistyped_name_beside_a_right_one_sinks_it_not(distill, folder, tmp_path):
    result = distill(folder, "papre", "--yes")
    assert (result.exit_code, "- papre: there is no such file" in result.output) == (1, True)
    assert len(cards(tmp_path)) == 7


def test_conversations_are_settled_by_the_teacher(distill, tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        scope = Scope(user="ana", thread="t1")
        memory.record(scope, actor="user", action="request", observation="I keep 12 hives at Lake Orrin.")
        memory.close_session(scope)
    reply = {"cards": [{"line": "1", "content": "The user keeps 12 hives at Lake Orrin.", "about": "user"}]}
    result = distill("--conversations", model=teacher(lambda prompt: reply))
    assert (result.exit_code, "Turns judged: 1" in result.output) == (0, True)
    assert [one.tier for one in cards(tmp_path)] == ["short"]


def test_ctrl_c_keeps_what_was_distilled_and_says_so(distill, folder, tmp_path):
    left = [2]

    def rule(prompt):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return every_line(prompt)

    result = distill(folder, "--yes", model=teacher(rule))
    assert (result.exit_code, "the same command goes on" in result.output) == (130, True)
    assert cards(tmp_path)
    assert "passages read: 2" in distill(folder, "--yes").output

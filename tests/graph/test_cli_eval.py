"""``eval`` as it is typed, with models that act by a rule; the suite is that of the documentation, word for word."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from policy import PolicyModel, step
from typer.testing import CliRunner

from memory_secretary.graph import cli_eval_runs, cli_fetch
from memory_secretary.graph.cli import app
from memory_secretary.graph.evaluation import campaign
from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.nodes.models import facts
from memory_secretary.nodes.models.resolve import resolve_model

DOCS = Path(__file__).parents[2] / "docs"
HAN = re.compile(r"[一-鿿]")


def documented(page):
    [suite] = re.findall(
        r"^```python\n(# suite\.py\n.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return suite


def librarian(prompt):
    """Does the tasks of the documented suite when it is shown everything; knows the shelf by heart."""
    if prompt.startswith("Rewrite the summary"):
        return "nothing yet"
    return step("final_answer", answer="Shelf 7, 7 号架")


@pytest.fixture
def models(monkeypatch):
    """The models that are made in place of those that are named, by their names."""
    made: dict[str, PolicyModel] = {}

    def resolve(spec, *, window):
        made.setdefault(spec, PolicyModel(rule=librarian))
        return resolve_model(made[spec], window=window)

    monkeypatch.setattr(campaign, "resolve_model", resolve)
    monkeypatch.setattr(cli_fetch, "fetch_weights", lambda models, console: None)
    monkeypatch.setattr(facts, "refuse_dead_server", lambda model, window: None)
    return made


@pytest.fixture
def evaluate(models, tmp_path, monkeypatch):
    """Calls `memory-secretary eval …` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    (tmp_path / "suite.py").write_text(documented("eval.md"), "utf-8")

    def call(*words, suite="suite.py", code=0):
        done = CliRunner().invoke(app, ["eval", "--suite", suite, *words])
        assert done.exit_code == code, done.output
        return done

    return call


def rows(folder="eval"):
    return [json.loads(line) for line in (Path(folder) / "runs.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("page", "lang"), [("eval.md", "en"), ("eval.zh-CN.md", "zh")])
def test_the_documented_suite_runs_in_every_arm_and_is_reported(evaluate, page, lang):
    Path("suite.py").write_text(documented(page), "utf-8")
    done = evaluate("--secretary", "ollama:b", "--lang", lang)
    made = rows()
    assert len(made) == 3 * 5
    assert {row["arm"] for row in made} == set(campaign.ARMS)
    assert all(row["right"] == (row["task"] != "lend-free") for row in made)
    assert {row["secretary"] for row in made if row["arm"] == "secretary"} == {"ollama:b"}
    assert ("编造" in done.stdout) == (lang == "zh")
    assert bool(HAN.search(done.stdout)) == bool(HAN.search(done.stderr)) == (lang == "zh")
    assert {path.name for path in Path("eval").iterdir()} == {"runs.jsonl", "report.md", "report.json", "report.html"}
    assert f'lang="{"zh-CN" if lang == "zh" else "en"}"' in Path("eval/report.html").read_text("utf-8")


def test_every_run_is_made_once_and_a_changed_suite_anew(evaluate, models):
    first = evaluate("--arms", "none")
    assert "3 runs to make" in first.stderr
    asked = len(models["embedded"].prompts)
    again = evaluate("--arms", "none")
    assert "0 runs to make" in again.stderr
    assert len(models["embedded"].prompts) == asked
    assert "2 runs to make" not in evaluate("--arms", "none,full").stderr
    Path("suite.py").write_text(documented("eval.md") + "# changed\n", "utf-8")
    assert "3 runs to make" in evaluate("--arms", "none").stderr


def test_a_broken_off_comparison_goes_on(evaluate, models, monkeypatch):
    kept = evaluate("--arms", "none,full")
    assert "6 runs to make" in kept.stderr
    path = Path("eval/runs.jsonl")
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(lines[:4]) + "\n" + lines[4][:30], "utf-8")
    assert "2 runs to make" in evaluate("--arms", "none,full").stderr
    assert len(rows()) == 6


def test_ctrl_c_keeps_what_was_made_and_says_how_to_go_on(evaluate, models):
    calls = iter(range(100))

    def rule(prompt):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return librarian(prompt)

    models["embedded"] = PolicyModel(rule=rule)
    done = evaluate("--arms", "none", code=130)
    assert "the same command goes on" in done.stderr
    assert len(rows()) >= 1


def test_several_runs_at_a_time_come_to_the_same(evaluate):
    evaluate("--arms", "none,secretary-own", "--executor", "ollama:a", "--out", "one")
    evaluate("--arms", "none,secretary-own", "--executor", "ollama:a", "--out", "many", "--parallel", "3")
    told = [{(row["task"], row["arm"], row["right"], row["steps"]) for row in rows(name)} for name in ("one", "many")]
    assert told[0] == told[1]
    assert len(told[0]) == 6


def test_runs_that_no_server_answers_are_not_kept(evaluate, models):
    def down(prompt):
        msg = "nobody answers at this address"
        raise ModelUnreachable(msg)

    models["embedded"] = PolicyModel(rule=down)
    done = evaluate("--arms", "none", code=2)
    assert "nobody answers" in done.stderr
    assert not Path("eval/runs.jsonl").exists()


def test_no_run_begins_that_would_end_too_late(evaluate, monkeypatch):
    class Late(cli_eval_runs.Deadline):
        def __call__(self, run):
            self._end = self._end and self._clock() - 1
            return super().__call__(run)

    monkeypatch.setattr(cli_eval_runs, "Deadline", Late)
    done = evaluate("--arms", "none", "--minutes", "5", code=2)
    assert "the same command goes on" in done.stderr
    assert not Path("eval/runs.jsonl").exists()


def test_quick_takes_the_eight_shortest_in_two_arms(evaluate):
    done = evaluate("--quick", suite="long")
    assert "8 tasks in the arms none, secretary-own; 16 runs to make" in done.stderr
    assert "Estimate: " in done.stderr
    assert "28 minutes" in done.stderr
    assert {row["window"] for row in rows()} == {2048}


def test_programs_get_one_document(evaluate):
    found = json.loads(evaluate("--arms", "none,secretary-own", "--json").stdout)
    assert [arm["name"] for arm in found["arms"]] == ["none", "secretary-own"]
    assert found == json.loads(Path("eval/report.json").read_text("utf-8"))


def test_prices_give_costs_in_their_currency(evaluate):
    done = evaluate("--arms", "none", "--price-executor", "1,2", "--currency", "CNY")
    assert re.search(r"none .* \d[\d.e-]* CNY", done.stdout)


def test_a_report_alone_makes_no_run(evaluate, models):
    assert "no run of this comparison is kept" in evaluate("--report", code=2).stderr
    evaluate("--arms", "none")
    before = Path("eval/report.md").read_text("utf-8")
    Path("eval/report.md").unlink()
    models.clear()
    evaluate("--arms", "none", "--report")
    assert models == {}
    assert len(Path("eval/report.md").read_text("utf-8")) == len(before)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--arms", "none,all"], "name some of none, full"),
        (["--arms", ","], "name some of none, full"),
        (["--arms", "secretary"], "needs --secretary"),
        (["--parallel", "2"], "makes one run at a time"),
        (["--price-executor", "1"], "two prices"),
        (["--price-executor", "1,x"], "two prices"),
        (["--price-secretary", "1,-2"], "two prices"),
        (["--executor", "qwen"], "no model is called"),
        (["--window", "7"], "--window"),
    ],
)
def test_what_cannot_be_is_refused_before_a_model_is_asked(evaluate, models, words, told):
    done = evaluate(*words, code=2)
    assert told in done.stderr
    assert models == {}
    assert HAN.search(evaluate(*words, "--lang", "zh", code=2).stderr)


def test_a_suite_that_is_none_is_refused_in_a_sentence(evaluate):
    assert "there is no suite" in evaluate(suite="nothing", code=2).stderr

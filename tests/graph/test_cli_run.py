"""The command `run` over a graph that is scripted: what is shown, kept for a resume, and told as exit status."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from typer.testing import CliRunner

from memory_secretary.graph import cli_run, cli_runs, cli_screen
from memory_secretary.graph.cli import app
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.evaluation.example_task import perfect_answer, variant
from memory_secretary.graph.words import say
from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import new_task
from memory_secretary.memory.tiered import TieredMemory

FIGURES = {"steps": 1, "tool_calls": 1, "prompt_tokens": 900, "secretary_calls": 0, "seconds": {"plan": 1.0}}
PLAN = {
    "node": "plan", "step": 1, "seconds": 1.0, "prompt_tokens": 900, "window": 2048, "thought": "look first",
    "action": "list_files", "arguments": {},
}  # fmt: skip
ACT = {"node": "act", "step": 1, "seconds": 0.0, "action": "list_files", "ok": True, "result": "a.md", "reminder": ""}


class ScriptedGraph:
    """Yields what it was given; an exception among the parts is raised in its place.

    Like the real graph it leaves the task in the ledger, unless it is to die before it has recorded anything.
    """

    def __init__(self, *parts, answer="42", status="done", stop_reason="", records=True, pending=()):
        self.calls = []
        self.parts = parts
        self.pending = pending
        self.records = records
        messages = [HumanMessage("q"), AIMessage(answer)] if answer else [HumanMessage("q")]
        self.state = {"messages": messages, "status": status, "stop_reason": stop_reason, "figures": FIGURES}

    def stream(self, given, config, **options):
        self.calls.append((given, config, options))
        self.keep(finished=False)
        for part in self.parts:
            if isinstance(part, BaseException):
                raise part
            yield "custom", part
        self.keep(finished=self.state["status"] == "done")
        yield "values", self.state

    def get_state(self, config):
        return SimpleNamespace(values={}, next=self.pending)

    def keep(self, *, finished):
        if self.records:
            task = new_task(task_id="task_1", goal=self.record.goal, goal_ref="evt_1") | {"finished": finished}
            scope = Scope(user=self.record.user, thread=self.record.thread)
            self.memory.view(Role.SECRETARY, scope).save_task_state(task, head=None, step=1)


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Calls `memory-secretary run …` on a scripted graph; gives the result, and the records it was assembled from."""
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    monkeypatch.setattr(cli_run, "make_ready", lambda record: None)

    def call(*words, graph):
        records = []

        @contextmanager
        def assembled(record, memory, folder, trace=None):
            records.append(record)
            graph.record, graph.memory = record, memory
            yield graph

        monkeypatch.setattr(cli_run, "assembled", assembled)
        result = CliRunner().invoke(app, ["run", *words, "--memory", str(tmp_path / "memory")])
        return result, records

    return call


def test_steps_answer_and_figures_are_shown(command):
    graph = ScriptedGraph(PLAN, ACT, answer="There is 1 file.")
    result, [record] = command("count the files", "--thread", "t1", graph=graph)
    assert result.exit_code == 0
    for part in ["count the files", "list_files()", "ok · a.md", "Answer: There is 1 file.", "prompt tokens 900"]:
        assert part in result.output
    [(given, config, options)] = graph.calls
    assert given == {"messages": [("user", "count the files")]}
    assert config == {"configurable": {"thread_id": "t1"}}
    assert options["context"] == {"user_id": "local"}
    assert options["stream_mode"] == ["custom", "values"]
    assert record.executor == "embedded"
    assert record.workspace == str(Path.cwd())


@pytest.mark.parametrize(("lang", "said"), [("en", "took 89 s on two idle cores"), ("zh", "用了 89 秒")])
def test_who_runs_the_embedded_model_is_told_before_the_first_step_how_long_it_takes(command, lang, said):
    result, _ = command("--example", "--lang", lang, graph=ScriptedGraph(PLAN))
    assert result.output.index(said) < result.output.index("list_files()")
    result, _ = command("a task", "--lang", lang, graph=ScriptedGraph(PLAN))
    assert said not in result.output
    card = {"en": "graphics card", "zh": "显卡"}[lang]
    assert card in result.output
    assert card not in command("a task", "--lang", lang, "--executor", "ollama:m", graph=ScriptedGraph(PLAN))[0].output
    measured = (Path(__file__).parents[2] / "benchmarks" / "RESULTS.md").read_text("utf-8")
    assert f"{cli_screen.EXAMPLE_SECONDS} s for the task itself" in measured


@pytest.mark.parametrize(("lang", "said"), [("en", "step 3: plan · the model"), ("zh", "第 3 步：规划 · 模型")])
def test_a_run_that_goes_on_begins_its_moving_line_where_it_was_broken_off(lang, said):
    graph = ScriptedGraph(pending=("plan",))
    graph.get_state = lambda config: SimpleNamespace(values={"step": 3, "status": "running"}, next=("plan",))
    record = RunRecord(thread="t1", user="ana", goal="", workspace="", lang=lang)
    assert cli_run.next_of(graph, record).startswith(said)
    graph.get_state = lambda config: SimpleNamespace(values={"step": 3, "status": "done"}, next=("retrieve",))
    assert " 0" in re.split("[:：]", cli_run.next_of(graph, record))[0], "a new run counts anew"
    graph.get_state = lambda config: SimpleNamespace(values={}, next=())
    assert cli_run.next_of(graph, record) == ""


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "(tools read and write here, and nowhere else): "), ("zh", "（工具只在这里读写文件）：")]
)
def test_the_folder_that_the_tools_may_write_is_named_as_such(command, tmp_path, lang, said):
    words = ["a task", "--lang", lang, "--workspace", str(tmp_path)]
    assert f"{said}{tmp_path}\n" in command(*words, graph=ScriptedGraph(PLAN))[0].output


def test_options_reach_the_graph(command, tmp_path, monkeypatch):
    words = ["任务", "--executor", "ollama:qwen2.5:7b", "--secretary", "openai:gpt", "--window", "1024",
             "--user", "小周", "--workspace", str(tmp_path), "--max-steps", "7", "--lang", "zh"]  # fmt: skip
    graph = ScriptedGraph()
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    result, [record] = command(*words, graph=graph)
    assert result.exit_code == 0
    assert (record.executor, record.secretary, record.window) == ("ollama:qwen2.5:7b", "openai:gpt", 1024)
    assert (record.max_steps, record.lang, record.workspace) == (7, "zh", str(tmp_path))
    assert graph.calls[0][2]["context"] == {"user_id": "小周"}
    assert "答案：42" in result.output


def test_two_runs_have_two_threads(command):
    threads = {command("a task", graph=ScriptedGraph())[1][0].thread for _ in range(2)}
    assert len(threads) == 2


def test_a_run_that_stopped_says_why_and_is_not_a_success(command):
    result, _ = command("a task", graph=ScriptedGraph(answer="", status="stopped", stop_reason="step_limit"))
    assert result.exit_code == 1
    assert "stopped: step_limit" in result.output
    assert "(no answer)" in result.output


def test_json_is_one_object_a_line_and_nothing_else(command):
    result, _ = command("a task", "--json", "--thread", "t1", graph=ScriptedGraph(PLAN, ACT, answer="好 " * 200))
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert rows[:2] == [PLAN, ACT]
    assert rows[2]["result"]["answer"] == "好 " * 200
    assert "right" not in rows[2]["result"]
    assert rows[2]["result"]["thread"] == "t1"


def test_ctrl_c_says_how_to_go_on_and_resume_goes_on(command):
    first = ScriptedGraph(PLAN, KeyboardInterrupt())
    result, [record] = command("a task", "--window", "1024", graph=first)
    assert result.exit_code == 130
    assert "Nothing is lost" in result.stderr
    assert re.search(rf"memory-secretary run --resume {record.thread} --memory \S+", result.stderr)

    second = ScriptedGraph()
    result, [again] = command("--resume", "--executor", "ollama:other", graph=second)
    assert result.exit_code == 0
    assert (again.thread, again.goal, again.window) == (record.thread, "a task", 1024)
    assert again.executor == "ollama:other"
    assert second.calls[0][0] == {"messages": []}
    assert second.calls[0][1] == {"configurable": {"thread_id": record.thread}}


def test_a_step_that_was_broken_off_is_gone_on_with_from_its_checkpoint(command):
    command("a task", "--thread", "t1", graph=ScriptedGraph(KeyboardInterrupt()))
    for pending, given in (((), {"messages": []}), (("act",), None)):
        graph = ScriptedGraph(pending=pending, status="stopped")
        command("--resume", "t1", graph=graph)
        assert graph.calls[0][0] == given


def test_resume_takes_the_newest_open_task_or_the_one_named(command):
    for thread, status in [("old", "stopped"), ("new", "stopped"), ("finished", "done")]:
        command("a task", "--thread", thread, graph=ScriptedGraph(status=status))
    assert command("--resume", "old", graph=ScriptedGraph(status="stopped"))[1][0].thread == "old"
    assert command("--resume", "--thread", "new", graph=ScriptedGraph(status="stopped"))[1][0].thread == "new"
    assert command("--resume", graph=ScriptedGraph(status="done"))[1][0].thread == "new"
    assert command("--resume", graph=ScriptedGraph(status="done"))[1][0].thread == "old"
    result, records = command("--resume", graph=ScriptedGraph())
    assert (result.exit_code, records) == (2, [])
    assert "no unfinished task" in result.stderr


def test_a_finished_task_is_not_done_again(command):
    command("a task", "--thread", "t1", graph=ScriptedGraph())
    result, records = command("--resume", "t1", graph=ScriptedGraph())
    assert (result.exit_code, records) == (2, [])
    assert "is done" in result.stderr


def test_a_run_that_died_before_its_request_was_recorded_starts_with_its_goal(command):
    command("a task", "--thread", "t1", graph=ScriptedGraph(KeyboardInterrupt(), records=False))
    again = ScriptedGraph()
    assert command("--resume", "t1", graph=again)[0].exit_code == 0
    assert again.calls[0][0] == {"messages": [("user", "a task")]}


def test_a_task_that_was_started_from_python_can_be_continued(command, tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        task = new_task(task_id="task_1", goal="from Python", goal_ref="evt_1")
        memory.view(Role.SECRETARY, Scope(user="local", thread="mine")).save_task_state(task, head=None, step=2)
    graph = ScriptedGraph()
    result, [record] = command("--resume", graph=graph)
    assert (result.exit_code, record.thread) == (0, "mine")
    assert graph.calls[0][0] == {"messages": []}


def test_resume_sees_only_the_user_s_own_runs(command):
    command("a task", "--user", "ana", "--thread", "t1", graph=ScriptedGraph(status="stopped"))
    for words in (["--resume", "--user", "ana2"], ["--resume", "t1", "--user", "ana2"]):
        result, records = command(*words, graph=ScriptedGraph())
        assert result.exit_code == 2
        assert records == []
    assert command("--resume", "--user", "ana", graph=ScriptedGraph())[1][0].thread == "t1"


def test_an_error_of_ours_is_one_sentence_with_the_way_on(command):
    graph = ScriptedGraph(PLAN, ModelUnreachable("no answer from the server; start it with: ollama serve"))
    result, _ = command("a task", graph=graph)
    assert result.exit_code == 2
    assert "no answer from the server; start it with: ollama serve" in result.stderr
    assert result.stderr.index("ollama serve") < result.stderr.index("--resume")
    assert "Traceback" not in result.output
    assert command("--resume", graph=ScriptedGraph())[0].exit_code == 0


@pytest.mark.parametrize("words", [[], ["a task", "--example"], ["a task", "--seed", "3"], ["--resume", "--example"]])
def test_contradicting_words_are_refused_in_one_sentence(command, words):
    result, records = command(*words, graph=ScriptedGraph())
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert records == []


def test_a_task_and_the_example_are_said_to_be_one_too_many(command):
    result, _ = command("a task", "--example", graph=ScriptedGraph())
    assert "cannot both be run" in result.stderr


def test_the_beginning_of_a_thread_s_name_is_enough_to_go_on_with_it(command):
    for thread in ("2026-one", "2026-two"):
        command("a task", "--thread", thread, graph=ScriptedGraph(status="stopped"))
    assert command("--resume", "2026-o", graph=ScriptedGraph(status="stopped"))[1][0].thread == "2026-one"
    result, records = command("--resume", "2026", graph=ScriptedGraph())
    assert (result.exit_code, records) == (2, [])
    assert "2026-one" in result.stderr
    assert "2026-two" in result.stderr


@pytest.mark.parametrize("thread", ["..", "a/b", "线程" * 100, "C:\\x"])
def test_any_thread_id_has_a_folder_inside_the_memory(tmp_path, thread):
    folder = cli_runs.run_folder(tmp_path, "u", thread)
    assert folder.parent == tmp_path / "runs"
    assert folder != cli_runs.run_folder(tmp_path, "u2", thread)


def test_a_damaged_record_is_named(command, tmp_path):
    command("a task", "--thread", "t1", graph=ScriptedGraph(status="stopped"))
    path = cli_runs.run_folder(tmp_path / "memory", "local", "t1") / "run.json"
    path.write_text("{half", "utf-8")
    result, _ = command("--resume", "t1", graph=ScriptedGraph())
    assert result.exit_code == 2
    assert str(path) in result.stderr


def test_a_workspace_that_does_not_exist_is_refused(command, tmp_path):
    result, records = command("a task", "--workspace", str(tmp_path / "nowhere"), graph=ScriptedGraph())
    assert (result.exit_code, records) == (2, [])
    assert "nowhere is no folder" in result.stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_example_is_copied_asked_and_judged(command, lang):
    task = variant(3, lang)
    words = ["--seed", "3", "--lang", lang, "--thread", "t1"]
    result, [record] = command(*words, graph=ScriptedGraph(PLAN, answer=perfect_answer(task)))
    assert result.exit_code == 0
    assert say(lang, "right") in result.output
    assert (record.goal, record.window) == (task.goal, 2048)
    assert (Path(record.workspace) / task.depot.reports[0]).is_file()
    result, _ = command("--seed", "3", "--lang", lang, graph=ScriptedGraph(answer="5"))
    assert result.exit_code == 1
    assert say(lang, "right") not in result.output


def test_a_resumed_example_keeps_its_workspace_and_is_judged_too(command):
    task = variant(1)
    _, [first] = command("--example", "--thread", "t1", graph=ScriptedGraph(KeyboardInterrupt()))
    result, [again] = command("--resume", graph=ScriptedGraph(answer=perfect_answer(task)))
    assert result.exit_code == 0
    assert again == first
    assert "The answer is right." in result.output


def test_the_example_has_a_user_of_its_own_unless_one_is_named(command, tmp_path):
    _, [record] = command("--seed", "2", graph=ScriptedGraph(answer="5"))
    assert record.user == "example"
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        assert memory.view(Role.SECRETARY, Scope(user="local")).threads(9) == []
    _, [record] = command("--example", "--user", "ana", graph=ScriptedGraph(answer="5"))
    assert record.user == "ana"
    _, [record] = command("my own task", graph=ScriptedGraph(answer="5"))
    assert record.user == "local"


def test_of_two_open_tasks_ones_own_goes_on_before_the_example(command):
    command("--example", "--thread", "e1", graph=ScriptedGraph(KeyboardInterrupt()))
    command("my own task", "--thread", "t1", graph=ScriptedGraph(KeyboardInterrupt()))
    _, [record] = command("--resume", graph=ScriptedGraph(KeyboardInterrupt()))
    assert (record.user, record.thread) == ("local", "t1")
    _, [record] = command("--resume", "e", graph=ScriptedGraph(KeyboardInterrupt()))
    assert (record.user, record.thread) == ("example", "e1")


def test_an_example_is_not_copied_over_other_files(command, tmp_path):
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    result, records = command("--example", "--workspace", str(tmp_path), graph=ScriptedGraph())
    assert (result.exit_code, records) == (2, [])
    assert "not empty" in result.stderr


INTERRUPTED = """
import time
from contextlib import contextmanager
from memory_secretary.graph import cli, cli_run

def wait():
    if KIND == "deaf":  # as LangGraph while a node runs: it waits for the node's thread, whatever comes
        try:
            time.sleep(60)
        finally:
            time.sleep(60)
    time.sleep(60)

class Slow:
    def stream(self, given, config, **options):
        yield "custom", {"node": "retrieve", "step": 0, "seconds": 0.0, "recalled": 0}
        wait()

@contextmanager
def assembled(record, memory, folder, trace=None):
    yield Slow()

cli_run.assembled, cli_run.make_ready = assembled, lambda record: None
cli.main()
"""


@pytest.mark.integration
@pytest.mark.parametrize("kind", ["hearing", "deaf"])
def test_ctrl_c_ends_a_real_process_in_seconds(tmp_path, kind):
    words = ["run", "a task", "--memory", str(tmp_path), "--embedder", "none"]
    command = [sys.executable, "-c", f"KIND = {kind!r}\n{INTERRUPTED}", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "recalled 0" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.count("memory-secretary run --resume") == 1
    assert "Traceback" not in errors


# --- options that nothing can work with -----------------------------------------------------------------------------

UNUSABLE = [
    (["--window", "-5"], "executor_window"),
    (["--window", "100"], "--window"),
    (["--executor", "foo:bar"], "'foo:bar'"),
    (["--executor", ""], "ollama:"),
    (["--secretary", "openai:"], "'openai:'"),
    (["--user", ""], "''"),
    (["--user", " a"], "' a'"),
    (["--thread", ""], "''"),
    (["--embedder", "foo"], "'foo'"),
    (["--executor", "embedded:9b"], "'9b'"),
    (["--executor", "embedded:/nope.gguf"], " /nope.gguf"),
    (["--secretary", "openai:x"], "OPENAI_API_KEY"),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("words", "named"), UNUSABLE)
def test_an_option_that_nothing_can_work_with_is_refused_before_anything_is_made(
    command, tmp_path, monkeypatch, words, named, lang
):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    result, records = command("a task", *words, "--lang", lang, graph=ScriptedGraph())
    assert (result.exit_code, records) == (2, [])
    [sentence] = result.stderr.splitlines()
    assert result.stdout == ""
    assert named in sentence
    assert any("一" <= sign <= "鿿" for sign in sentence) == (lang == "zh")
    assert not (tmp_path / "memory").exists()


@pytest.mark.parametrize(
    ("lang", "empty", "none"),
    [
        ("en", "the task is empty: write in quotes what is to be done, e.g.: ", "give either a task in quotes or --ex"),
        ("zh", "任务是空的：请在引号里写出要做的事，例如：", "请给出带引号的任务，或用 --example，例如："),
    ],
)
@pytest.mark.parametrize("task", ["", "  ", None])
def test_an_empty_task_is_told_from_none_and_how_to_give_one_is_shown(command, tmp_path, task, lang, empty, none):
    words = [] if task is None else [task]
    result, records = command(*words, "--lang", lang, graph=ScriptedGraph())
    assert (result.exit_code, records) == (2, [])
    assert (none if task is None else empty) in result.stderr
    assert 'memory-secretary run "' in result.stderr
    assert not (tmp_path / "memory").exists()


def test_the_example_is_not_copied_for_options_that_are_refused(command, tmp_path):
    result, _ = command("--example", "--window", "3", graph=ScriptedGraph())
    assert result.exit_code == 2


@pytest.mark.parametrize("stop", [ModelUnreachable("set OPENAI_API_KEY"), KeyboardInterrupt()])
def test_what_stops_a_run_before_its_first_step_leaves_nothing_to_go_on_with(command, tmp_path, monkeypatch, stop):
    def make_ready(record):
        raise stop

    monkeypatch.setattr(cli_run, "make_ready", make_ready)
    result, records = command("a task", "--thread", "t1", graph=ScriptedGraph())
    assert result.exit_code == (130 if isinstance(stop, KeyboardInterrupt) else 2)
    assert records == []
    assert result.stdout == ""
    assert "--resume" not in result.stderr
    assert cli_runs.find(tmp_path / "memory", "local", "t1") is None


def test_a_bad_value_does_not_replace_the_one_that_a_run_began_with(command, tmp_path):
    command("a task", "--thread", "t1", "--window", "1024", graph=ScriptedGraph(KeyboardInterrupt()))
    result, _ = command("--resume", "t1", "--window", "12", graph=ScriptedGraph())
    assert result.exit_code == 2
    assert cli_runs.find(tmp_path / "memory", "local", "t1").window == 1024


@pytest.mark.parametrize(("lang", "said"), [("en", "nothing to go on with"), ("zh", "无从继续")])
def test_to_go_on_where_nothing_is_kept_makes_no_folder(command, tmp_path, lang, said):
    result, records = command("--resume", "--lang", lang, graph=ScriptedGraph())
    assert (result.exit_code, records, said in result.stderr) == (2, [], True)
    assert not (tmp_path / "memory").exists()

"""Two processes on one thread: the second is refused in one sentence, whatever the command, until the first is gone."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from memory_secretary.graph import Settings, build_graph, cli_chat, cli_run, open_checkpointer
from memory_secretary.graph.cli import app
from memory_secretary.graph.thread_lock import ThreadAtWork, at_work, is_at_work
from memory_secretary.memory import TieredMemory
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import new_task

OTHER = """
import sys
from pathlib import Path
from memory_secretary.graph.thread_lock import at_work
with at_work(Path(sys.argv[1]), "ana", sys.argv[2]):
    print("at work", flush=True)
    sys.stdin.read()
"""
FINAL = {"step": {"thought": "", "action": "final_answer", "input": {"answer": "42"}}}


@contextmanager
def another(folder, thread):
    """Another process at work on the thread."""
    command = [sys.executable, "-c", OTHER, str(folder), thread]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "at work\n"
            yield process
        finally:
            process.kill()


@pytest.fixture
def command(tmp_path, monkeypatch, scripted_model):
    """Calls `memory-secretary …` with a scripted model, as ana, after leaving open tasks on threads old and new."""
    folder = tmp_path / "memory"
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    for module in (cli_run, cli_chat):
        monkeypatch.setattr(module, "make_ready", lambda record: None)
    with TieredMemory.open(folder, embedder="none") as memory:
        for thread in ("old", "new"):
            view = memory.view(Role.SECRETARY, Scope(user="ana", thread=thread))
            goal = view.record("user", "request", observation="Count.").event_id
            view.save_task_state(new_task(task_id=thread, goal="Count.", goal_ref=goal), head=goal, step=0)

    @contextmanager
    def assembled(record, memory, folder, trace=None):
        model = scripted_model.enqueue(*[FINAL] * 4)
        with open_checkpointer(folder / "checkpoints.sqlite") as saver:
            settings = Settings(lang=record.lang or "auto")
            yield build_graph(model, memory=memory, settings=settings, checkpointer=saver)

    monkeypatch.setattr(cli_run, "assembled", assembled)

    def call(*words, lines=()):
        given = [*words, "--user", "ana", "--memory", str(folder)]
        return CliRunner().invoke(app, given, input="".join(f"{line}\n" for line in lines))

    call.folder = folder
    return call


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["run", "--resume", "new"], []),
        (["run", "Count.", "--thread", "new"], []),
        (["run", "--example", "--thread", "new"], []),
        (["chat", "--thread", "new"], ["Go on."]),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_thread_that_another_process_works_on_is_refused_with_its_id_and_free_once_it_is_killed(
    command, words, lines, lang
):
    with another(command.folder, "new") as process:
        result = command(*words, "--lang", lang, lines=lines)
        assert result.exit_code != 0
        said = {"en": f"is being worked on by process {process.pid}: wait", "zh": f"正由进程 {process.pid} 处理"}
        assert said[lang] in " ".join(result.stderr.split())
        assert not list(command.folder.rglob("workspace"))
    if "--example" not in words:
        assert command(*words, lines=lines).exit_code == 0


@pytest.mark.parametrize(("lang", "said"), [("en", "is being worked on by another process"), ("zh", "别的进程")])
def test_resume_without_a_name_takes_the_newest_thread_that_nobody_works_on(command, lang, said):
    with another(command.folder, "new"), another(command.folder, "old"):
        result = command("run", "--resume", "--lang", lang)
        assert result.exit_code == cli_run.REFUSED
        assert said in " ".join(result.stderr.split())
    with another(command.folder, "new"):
        result = command("run", "--resume")
    assert result.exit_code == 0
    assert "thread: old" in result.stdout


def test_a_thread_is_free_again_after_its_run_and_within_one_process(tmp_path):
    with at_work(tmp_path, "ana", "t"), at_work(tmp_path, "ana", "t"):
        assert not is_at_work(tmp_path, "ana", "t")
    with another(tmp_path, "t"):
        assert is_at_work(tmp_path, "ana", "t")
        assert not is_at_work(tmp_path, "ben", "t")
        with pytest.raises(ThreadAtWork), at_work(tmp_path, "ana", "t"):
            pass
    assert not is_at_work(tmp_path, "ana", "t")


def test_between_two_turns_a_chat_leaves_its_thread_to_others(command, monkeypatch):
    seen = []
    typed = iter(["Count.\n"])

    def piped(_prompt=None):
        if (line := next(typed, None)) is None:
            with another(command.folder, "new"):
                seen.append("free")
            raise EOFError
        return line

    monkeypatch.setattr(cli_chat, "_piped", piped)
    assert command("chat", "--thread", "new").exit_code == 0
    assert seen == ["free"]

"""The command `brief`: the last brief of a thread from its checkpoint, without a model."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from memory_secretary.graph import Settings, build_graph, open_checkpointer
from memory_secretary.graph.cli import app
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import new_task
from memory_secretary.memory.tiered import TieredMemory


@pytest.fixture
def folder(tmp_path):
    """A memory's folder; a run of it is made by calling the fixture `ran`."""
    return tmp_path / "memory"


@pytest.fixture
def ran(folder, scripted_model):
    """Runs a task on a thread to its end."""

    def run(goal, thread, user="local"):
        scripted_model.enqueue({"step": {"thought": "t", "action": "final_answer", "input": {"answer": "Done."}}})
        with (
            TieredMemory.open(folder, embedder=None) as memory,
            open_checkpointer(folder / "checkpoints.sqlite") as saver,
        ):
            graph = build_graph(scripted_model, memory=memory, settings=Settings(), checkpointer=saver)
            config = {"configurable": {"thread_id": thread}}
            graph.invoke({"messages": [("user", goal)]}, config, context={"user_id": user}, durability="sync")

    return run


def called(folder, *words):
    return CliRunner().invoke(app, ["brief", *words, "--memory", str(folder)])


@pytest.mark.parametrize("goal", ["Count the invoices of March.", "数一数三月的发票。"])
def test_the_newest_thread_s_brief_is_shown_or_the_one_that_is_named(folder, ran, goal):
    ran("Something else.", "2026-old")
    ran(goal, "2026-new")
    for words in ((), ("2026-n",)):
        done = called(folder, *words)
        assert done.exit_code == 0
        assert goal in done.stdout
        assert "2026-new" in done.stdout.splitlines()[0]
        assert "Something else." not in done.stdout
    assert "Something else." in called(folder, "2026-old").stdout


def test_where_nothing_of_ones_own_is_there_the_examples_brief_is_shown(folder, ran):
    ran("The example.", "e1", user="example")
    assert "The example." in called(folder).stdout
    ran("Something else.", "t1")
    assert "Something else." in called(folder).stdout
    assert "The example." in called(folder, "e1").stdout


def test_a_brief_is_only_read(folder, ran):
    ran("Count the invoices of March.", "t1")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for path in before:
        path.chmod(0o444)
    assert "invoices" in called(folder).stdout
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_programs_get_json(folder, ran):
    ran("数一数三月的发票。", "t1")
    data = json.loads(called(folder, "--json").stdout)
    assert data["thread"] == "t1"
    assert "数一数三月的发票。" in data["brief"]
    assert "\n" in data["brief"]


@pytest.mark.parametrize(("lang", "said"), [("en", "has no thread"), ("zh", "没有线程")])
def test_a_thread_of_someone_else_is_not_shown(folder, ran, lang, said):
    ran("A secret.", "t1", user="ana")
    for words in ((), ("t1",)):
        done = called(folder, *words, "--lang", lang)
        assert done.exit_code == 2
        assert said in done.stderr
        assert "--user" in done.stderr
        assert "secret" not in done.output
    assert called(folder, "t1", "--user", "ana").exit_code == 0


@pytest.mark.parametrize(("lang", "said"), [("en", "has no brief yet"), ("zh", "还没有简报")])
def test_a_thread_that_was_stopped_before_its_brief_says_how_to_get_one(folder, lang, said):
    with TieredMemory.open(folder, embedder=None) as memory:
        view = memory.view(Role.SECRETARY, Scope(user="ana", thread="t1"))
        view.save_task_state(new_task(task_id="task_1", goal="A task.", goal_ref="evt_1"), head=None, step=0)
    done = called(folder, "t1", "--user", "ana", "--lang", lang)
    assert done.exit_code == 2
    assert said in done.stderr
    assert f"memory-secretary run --resume t1 --memory {folder} --user ana" in done.stderr


@pytest.mark.parametrize(("lang", "said"), [("en", "done by a program"), ("zh", "由程序完成")])
def test_a_finished_thread_of_a_program_is_not_to_be_resumed(folder, lang, said, ran):
    ran("A task.", "t1")
    (folder / "checkpoints.sqlite").unlink()
    done = called(folder, "t1", "--lang", lang)
    assert (done.exit_code, "--resume" in done.stderr) == (2, False)
    assert said in done.stderr


def test_no_memory_is_made_by_looking(tmp_path):
    assert called(tmp_path / "nowhere").exit_code == 2
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("lang", "goal", "mark"),
    [
        ("en", "I live in Graz. Which tram goes home?", "(forgotten)"),
        ("zh", "我住在格拉茨，哪路电车回家？", "（已遗忘）"),
    ],
)
def test_what_was_forgotten_since_is_not_shown_until_it_is_restored(folder, ran, lang, goal, mark):
    ran(goal, "t1")
    scope = Scope(user="local", thread="t1")
    words = ("--lang", lang)
    before = called(folder, *words).stdout
    assert goal in before and before.startswith({"en": "thread: t1", "zh": "线程：t1"}[lang])
    with TieredMemory.open(folder, embedder=None) as memory:
        [asked] = [event.event_id for event in memory.events(scope) if event.actor == "user"]
        memory.forget_turn(scope, asked)
    for as_json in ((), ("--json",)):
        shown = called(folder, *words, *as_json).stdout
        assert (goal[:9] in shown, mark in shown) == (False, True)
    with TieredMemory.open(folder, embedder=None) as memory:
        memory.restore_turn(scope, asked)
    assert goal in called(folder, *words).stdout

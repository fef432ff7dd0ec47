"""The comparison with and without methods: what is learned from, what both arms know, and that no run is made twice."""

from __future__ import annotations

from argparse import Namespace

import methods
import pytest
from methods import WITH, Scripted, fits, knowing, lessons_for, measure, method_of, report, used_tools
from policy import PolicyModel

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS
from memory_secretary.graph.evaluation.longtask import development_tasks, frozen_tasks, make_task
from memory_secretary.graph.evaluation.rows import read_rows
from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.wording import EN

TASK = next(task for task in frozen_tasks() if task.family == "collect_report" and task.lang == "en")


@pytest.fixture
def options(tmp_path):
    return Namespace(
        tasks="frozen", family=TASK.family, length=TASK.length, lang="en", executor="copyist", teacher=None,
        window=2048, secretary_window=4096, label="", out=tmp_path / "methods.jsonl",
    )  # fmt: skip


class Handed:
    """Gives scripted models and keeps what each of them was asked."""

    def __init__(self):
        self.prompts = []

    def __call__(self, task):
        call, asked = task.oracle.calls[0], []
        worker = Scripted(first={"action": call.tool, "input": dict(call.arguments)})
        self.prompts.append(asked)
        handle = resolve_model(
            PolicyModel(rule=lambda prompt: asked.append(prompt) or worker.reply(prompt)), window=4096
        )
        return handle, handle


SETTINGS = Settings(user_id="benchmark", executor_window=2048, secretary_window=4096)


def test_the_lessons_are_like_the_task_and_none_of_them_is_measured_on():
    lessons = lessons_for(TASK)
    assert {(one.family, one.lang, used_tools(one)) for one in lessons} == {("collect_report", "en", used_tools(TASK))}
    measured = {(one.family, one.seed) for one in [*frozen_tasks(), *development_tasks()]}
    assert not {(one.family, one.seed) for one in lessons} & measured


def test_a_task_whose_tools_only_short_ones_need_is_learned_from_short_ones():
    task = next(task for task in frozen_tasks() if task.family == "act_on_condition" and task.length == "short")
    assert {lesson.length for lesson in lessons_for(task)} == {"short"}


def test_both_arms_run_once_each_and_know_the_same_method(options):
    models, done = Handed(), {}
    measure(options, models, done)
    rows = read_rows(options.out)
    assert [(row["arm"], row["right"]) for row in rows] == [(OURS, True), (WITH, True)]
    learning, without, having = models.prompts
    assert not any(EN.methods in text for text in [*learning, *without])
    assert "- Before the answer: each record that was read" in having[-1]
    measure(options, models, done)
    assert len(models.prompts) == 3
    assert f"{WITH} | 1 of 1" in report(rows)


def test_the_method_is_asked_for_once_and_nothing_else_is_taken_over(options):
    models = Handed()
    path = method_of(TASK, models(TASK)[1], SETTINGS, options)
    assert method_of(TASK, models(TASK)[1], SETTINGS, options) == path
    assert [len(prompts) for prompts in models.prompts] == [1, 0]
    with TieredMemory.open(":memory:", embedder=None) as memory:
        knowing(path)(memory)
        assert len(memory.list(Scope(user="benchmark"))) == 1
        assert memory.recall(Scope(user="benchmark"), "the next step", k=9) == []
    assert fits(TASK, path)
    assert not fits(make_task("follow_chain", 1, "en", "short"), path)


def test_a_task_that_no_method_fits_is_not_run(options, monkeypatch):
    monkeypatch.setattr(methods, "lessons_for", lambda task: [])
    models = Handed()
    measure(options, models, {})
    assert (models.prompts, read_rows(options.out)) == ([[]], [])

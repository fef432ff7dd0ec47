"""Suites: the shipped ones, and those from a path, which are refused in a sentence where they cannot be used."""

from __future__ import annotations

import sys

import pytest

from memory_secretary.graph.evaluation.suite import SHIPPED, load_suite, quick
from memory_secretary.graph.evaluation.task import length_of
from memory_secretary.memory.errors import SettingsError

SUITE = '''
from memory_secretary.graph.evaluation.task import Task, Verdict

class World:
    closed = 0
    def tools(self):
        return [self.look]
    def look(self, place: str) -> str:
        """Look at a place."""
        return place
    def close(self):
        World.closed += 1

def check(world, answer):
    return "7" in answer

tasks = [
    Task(name="b", goal="Go on.", steps=9, environment=World, check=check),
    Task(name="a", goal=[("one", "hello"), ("two", "Where?")], steps=2, environment=World, check=check),
]
'''


@pytest.fixture
def write(tmp_path):
    """A suite's file, with some of its text replaced."""

    def written(*changes, name="mine.py"):
        text = SUITE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return written


@pytest.mark.parametrize(("name", "tasks"), [("long", 24), ("development", 64), ("example", 12)])
def test_a_shipped_suite_has_tasks_of_their_own_names_shortest_first(name, tasks):
    suite = load_suite(name)
    assert len({task.name for task in suite.tasks}) == tasks
    steps = [task.steps for task in suite.tasks]
    assert steps == sorted(steps)


def test_every_shipped_suite_is_named():
    assert set(SHIPPED) == {"long", "development", "example"}


def test_the_quick_part_is_fixed_and_has_two_lengths():
    tasks = quick(load_suite("long")).tasks
    assert [length_of(task.steps) for task in tasks] == ["≤3"] * 6 + ["4–10"] * 2


def test_a_file_is_loaded_and_its_worlds_are_closed_again(write):
    suite = load_suite(str(write()))
    assert (suite.name, [task.name for task in suite.tasks]) == ("mine", ["a", "b"])
    assert [task.turns for task in suite.tasks] == [[("one", "hello"), ("two", "Where?")], [("main", "Go on.")]]
    assert suite.tasks[0].environment.closed == 2


def test_a_folder_may_hold_what_the_suite_imports(write, tmp_path):
    (tmp_path / "my_words.py").write_text("GOAL = 'Go there.'", "utf-8")
    write(("class World", "from my_words import GOAL\n\nclass World"), ('"Go on."', "GOAL"), name="suite.py")
    suite = load_suite(str(tmp_path))
    assert suite.name == tmp_path.name
    assert str(tmp_path) not in sys.path
    assert suite.tasks[1].goal == "Go there."
    before = suite.state
    (tmp_path / "my_words.py").write_text("GOAL = 'Go away.'", "utf-8")
    assert load_suite(str(tmp_path)).state != before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tasks = [", "jobs = [", "has no list called tasks"),
        ("tasks = [", "tasks = [1, ", "has no list called tasks"),
        ("class World", "class World(Missing)", "NameError"),
        ('name="b"', 'name="a"', "two tasks of .* are called 'a'"),
        ('name="b"', 'name=" "', "name of task ' '"),
        ('goal="Go on."', 'goal=""', "goal of task 'b' is ''"),
        ('goal="Go on."', 'goal=[("x",)]', "goal of task 'b'"),
        ("steps=9", "steps=0", "steps of task 'b' is 0"),
        ("steps=9, ", "", "missing 1 required keyword-only argument: 'steps'"),
        ("environment=World", "environment=World()", "environment of task 'b'"),
        ("def tools(self)", "def tool(self)", "without a method tools"),
        ('"""Look at a place."""', "pass", "look has no docstring"),
        ("place: str", "place", "place of look has no type"),
        ('"7" in answer', "world.nothing", "check of task 'b' failed .AttributeError"),
        ('"7" in answer', "None", "gave None"),
        ('"7" in answer', "True", "calls a run right that did nothing"),
        ('"7" in answer', "Verdict(True)", "calls a run right that did nothing"),
        (
            "closed = 0",
            "def __init__(self): raise OSError('no disk')",
            "environment of task 'b' failed .OSError: no disk",
        ),
    ],
)
def test_what_no_run_could_work_with_is_refused_by_name(write, old, new, told):
    path = write(('tasks = [\n    Task(name="b"', 'tasks = [\n    Task(name="b"'), (old, new))
    with pytest.raises(SettingsError, match=told) as refused:
        load_suite(str(path))
    assert refused.value.zh
    assert refused.value.zh != refused.value.sentence("en")


@pytest.mark.parametrize("name", ["lang", "no/such.py", "."])
def test_a_name_of_no_suite_tells_those_there_are(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=r"long, development, example, a Python file, or a folder with suite\.py"):
        load_suite(name)


@pytest.mark.parametrize(
    ("steps", "length"), [(1, "≤3"), (3, "≤3"), (4, "4–10"), (10, "4–10"), (30, "11–30"), (31, ">30")]
)
def test_lengths_are_the_seeds(steps, length):
    assert length_of(steps) == length

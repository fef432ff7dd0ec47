from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import ToolException

from memory_secretary.graph.evaluation.answers import numbers
from memory_secretary.graph.evaluation.longtask import (
    DEVELOPMENT_SEEDS,
    FAMILIES,
    FROZEN_SEEDS,
    LENGTHS,
    Environment,
    LongTask,
    development_tasks,
    frozen_tasks,
    make_task,
)
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.tools.effects import Effect, effect_of
from memory_secretary.tools.registry import as_tools

WINDOW = 2_048
BOUNDS = {"short": (1, 3), "medium": (4, 10), "long": (11, 30), "longest": (31, 40)}


@cache
def both_sets() -> tuple[LongTask, ...]:
    return (*development_tasks(), *frozen_tasks())


def named(task: LongTask) -> str:
    return f"{task.family} {task.seed} {task.lang} {task.length}"


def perform(task: LongTask) -> tuple[Environment, list[str]]:
    """The environment after the oracle's calls, and what each call gave, errors too."""
    environment = task.environment()
    seen = []
    for call in task.oracle.calls:
        try:
            seen.append(environment.call(call))
        except ToolException as error:
            seen.append(str(error))
    return environment, seen


def assert_sound(task: LongTask) -> None:
    """What holds for every task, whatever it was made from."""
    environment, seen = perform(task)
    verdict = task.check(task.oracle.answer, environment)
    assert verdict.right and not verdict.missing, (named(task), verdict)
    least, most = BOUNDS[task.length]
    assert least <= task.needed_steps <= most, named(task)
    assert task.length == "short" or sum(map(estimate_tokens, seen)) >= 4 * WINDOW, named(task)
    assert not task.check("", environment).right, named(task)
    assert not task.check(task.oracle.answer, task.environment()).right or not task.outcome.deeds, named(task)
    asked = " ".join(text for _, text in task.turns)
    for value in (*task.outcome.says, *(value for _, value in task.outcome.pairs)):
        assert not (numbers(value) & numbers(asked) if value.isdigit() else value in asked), (named(task), value)


def test_every_task_of_both_sets_is_sound():
    for task in both_sets():
        assert_sound(task)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(FAMILIES), st.integers(), st.sampled_from(("en", "zh")), st.sampled_from(LENGTHS))
def test_a_task_of_any_seed_is_sound(family, seed, lang, length):
    assert_sound(make_task(family, seed, lang, length))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_arguments_give_the_same_task_and_another_seed_another(family):
    task = make_task(family, 7, "zh", "medium")
    assert task == make_task(family, 7, "zh", "medium")
    assert task.records != make_task(family, 8, "zh", "medium").records


def test_an_unknown_family_is_refused_with_the_known_ones():
    with pytest.raises(SettingsError, match="follow_chain"):
        make_task("collect", 1, "en", "short")


def test_the_sets_share_no_seed():
    assert not set(DEVELOPMENT_SEEDS) & set(FROZEN_SEEDS)
    assert [task.seed for task in development_tasks()] == list(DEVELOPMENT_SEEDS)


def test_the_frozen_set_is_spread_over_families_lengths_and_languages():
    tasks = frozen_tasks()
    assert Counter(task.family for task in tasks) == dict.fromkeys(FAMILIES, 3)
    assert Counter((task.length, task.lang) for task in tasks) == {
        (length, lang): 3 for length in LENGTHS for lang in ("en", "zh")
    }
    assert all(len({task.length for task in tasks if task.family == family}) == 3 for family in FAMILIES)
    assert all(len({task.lang for task in tasks if task.family == family}) == 2 for family in FAMILIES)


def test_the_frozen_set_has_effects_faults_and_constraints_in_tasks_of_some_length():
    tasks = [task for task in frozen_tasks() if task.length != "short"]
    assert {spec for task in tasks for spec in ("pay", "tell") if wants(task, spec)} == {"pay", "tell"}
    assert sum(bool(task.outcome.deeds) for task in tasks) >= 4
    assert sum(bool(task.faults) for task in tasks) >= 2
    assert sum(len(task.turns) > 1 for task in tasks) >= 2


def wants(task: LongTask, kind: str) -> bool:
    """Whether a payment (exact arguments only) or a message is among the effects wanted."""
    return any(bool(deed.mentions) == (kind == "tell") for deed in task.outcome.deeds)


def test_the_development_set_has_every_family_in_every_length_and_language():
    kinds = {(task.family, task.length, task.lang) for task in development_tasks()}
    assert len(kinds) == len(FAMILIES) * len(LENGTHS) * 2


def test_goals_and_tools_are_seldom_the_same():
    for family in FAMILIES:
        goals = [task.turns[-1][1] for task in both_sets() if task.family == family]
        assert len(set(goals)) >= 0.8 * len(goals)
    for lang in ("en", "zh"):
        reading = {call.tool for task in both_sets() if task.lang == lang for call in task.oracle.calls}
        assert len(reading) >= 15


def test_the_tools_are_plain_functions_that_the_registry_takes_and_whose_effects_it_sees():
    for task in both_sets():
        tools = {tool.name: tool for tool in as_tools(task.environment().tools())}
        assert list(tools) == [spec.name for spec in task.specs]
        for spec in task.specs:
            wanted = Effect.SIDE_EFFECT if spec.job == "act" else Effect.READ_ONLY
            assert effect_of(tools[spec.name]) is wanted, spec.name


def test_a_task_can_be_done_through_the_tools_as_a_model_would():
    task = make_task("act_on_condition", 3, "en", "medium")
    environment = task.environment()
    tools = {tool.name: tool for tool in as_tools(environment.tools())}
    for call in task.oracle.calls:
        tools[call.tool].invoke(dict(call.arguments))
    assert task.check(task.oracle.answer, environment).right


@pytest.mark.parametrize("lang", ("en", "zh"))
def test_every_needed_value_stands_in_what_the_oracle_reads(lang):
    for task in both_sets():
        if task.lang != lang:
            continue
        read = " ".join([*perform(task)[1], *(text for _, text in task.turns)])
        for deed in task.outcome.deeds:
            for value in (*deed.exact.values(), *deed.mentions.values()):
                assert str(value) in read or f"{value:,}" in read, (named(task), value)


def test_turns_and_docstrings_of_a_chinese_task_are_chinese_and_its_tools_have_ascii_names():
    for task in both_sets():
        if task.lang == "zh":
            said = [*(text for _, text in task.turns), *(spec.doc for spec in task.specs)]
            assert all(any("一" <= sign <= "鿿" for sign in text) for text in said), named(task)
            assert all(spec.name.isascii() for spec in task.specs)


def test_earlier_sessions_are_another_thread_and_the_goal_does_not_repeat_what_was_said_there():
    for task in both_sets():
        if task.family == "earlier_session":
            (earlier, note), (now, goal) = task.turns
            assert earlier != now
            told = numbers(note) | {call.arguments[key] for call in task.oracle.calls for key in call.arguments}
            assert not numbers(goal) & told, named(task)

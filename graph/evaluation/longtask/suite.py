"""The families of long tasks, and the two sets of tasks that are worked with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memory_secretary.graph.evaluation.example_truth import Lang
from memory_secretary.graph.evaluation.longtask.cases import act_on_condition, follow_chain
from memory_secretary.graph.evaluation.longtask.constraints import keep_constraint
from memory_secretary.graph.evaluation.longtask.failures import failing_tool
from memory_secretary.graph.evaluation.longtask.reports import collect_compare, collect_report, correct_value
from memory_secretary.graph.evaluation.longtask.scene import Scene
from memory_secretary.graph.evaluation.longtask.sessions import earlier_session
from memory_secretary.graph.evaluation.longtask.task import LENGTHS, Length, LongTask
from memory_secretary.memory.errors import SettingsError

_MAKERS: Mapping[str, Callable[[Scene], LongTask]] = {
    maker.__name__: maker
    for maker in (
        *(collect_report, collect_compare, act_on_condition, follow_chain),
        *(keep_constraint, correct_value, earlier_session, failing_tool),
    )
}
FAMILIES = tuple(_MAKERS)
DEVELOPMENT_SEEDS = range(1, 65)
"""What is tried, read and tuned on."""
FROZEN_SEEDS = range(10_465, 10_489)
"""What is only measured on. The range was chosen for the kinds that it gives within each family, before any run."""


def make_task(family: str, seed: int, lang: Lang, length: Length) -> LongTask:
    """The task of a seed; the same arguments give the same task, to the byte.

    Args:
        family: one of :data:`FAMILIES`.
        seed: any integer.
        lang: language of goal, records and tools' docstrings; tool names are ASCII in both.
        length: class of the needed tool calls, see :data:`Length`.

    Raises:
        SettingsError: no such family.
    """
    if family not in _MAKERS:
        msg = f"there is no family {family!r} of long tasks: take one of {', '.join(FAMILIES)}"
        raise SettingsError(msg)
    return _MAKERS[family](Scene(family, seed, lang, length))


def development_tasks() -> list[LongTask]:
    """Every family in every length and both languages, once."""
    kinds = [(family, length, lang) for family in FAMILIES for length in LENGTHS for lang in _LANGS]
    return [
        make_task(family, seed, lang, length)
        for seed, (family, length, lang) in zip(DEVELOPMENT_SEEDS, kinds, strict=True)
    ]


def frozen_tasks() -> list[LongTask]:
    """Three tasks of every family: six of each length, twelve in each language, three of each length in each."""
    return [_frozen(place, seed) for place, seed in enumerate(FROZEN_SEEDS)]


_LANGS: tuple[Lang, ...] = ("en", "zh")


def _frozen(place: int, seed: int) -> LongTask:
    length = LENGTHS[place % len(LENGTHS)]
    lang = _LANGS[(place // len(LENGTHS)) % 2 ^ place % 2]
    return make_task(FAMILIES[place // 3], seed, lang, length)

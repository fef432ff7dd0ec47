"""The answer that code gives from what it computed, where the executor repeats its prompt or misses the figure."""

from __future__ import annotations

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.task_state import TaskState
from memory_secretary.nodes.brief import computed_lines, figure_line
from memory_secretary.nodes.candidates import pattern_of
from memory_secretary.nodes.figures import short_name, total_of
from memory_secretary.nodes.figures_told import asked_figure
from memory_secretary.nodes.states import amounts_noted
from memory_secretary.nodes.wording import Wording


def computed_answer(task: TaskState, words: Wording) -> str:
    """What was computed, as a user reads it: the records in the state, the figure that is asked for, else all lines.

    Args:
        task: with what was noted and found out.
        words: the user's language; it is the one that is spoken (:func:`~memory_secretary.memory.bilingual.speaking`).

    Returns:
        Empty where nothing was computed.
    """
    if any(task["states"].values()):
        return _of_states(task, words)
    one = asked_figure(task)
    lines = [figure_line(one[0], words, one[1:])] if one else computed_lines(task, words)
    return "\n".join(line.removeprefix("- ") for line in lines)


def _of_states(task: TaskState, words: Wording) -> str:
    amounts = amounts_noted(task)
    shown = {value["subject"]: value["value"] for value in amounts}
    names = (name for name, meets in task["states"].items() if meets)
    listed = said(", ", "、").join(f"{short_name(name)}{_aside(shown.get(name, ''))}" for name in names)
    total = total_of(amounts) if len(amounts) > 1 else ""
    kinds = {pattern_of(name) for name, meets in task["states"].items() if meets}
    untold = [short_name(name) for name, meets in task["states"].items() if meets is None and pattern_of(name) in kinds]
    more = [words.figure_total.format(total=total)] if total else []
    more += [words.state_untold.format(names=said(", ", "、").join(untold))] if untold else []
    return said("; ", "；").join([listed, *more])


def _aside(text: str) -> str:
    return said(f" ({text})", f"（{text}）") if text else ""

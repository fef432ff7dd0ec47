"""The brief: what the executor sees in place of history, composed by code within a token budget.

What grows stands first and only ever grows at its end (goal, constraints, done), so that a server's prefix cache
keeps it; what changes from step to step follows; the goal stands at both ends, since small models lose the middle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from typing_extensions import TypedDict

from memory_secretary.memory.task_state import Item, KeyValue, TaskState, closed_items, open_items, whole_goal
from memory_secretary.memory.tokens import TokenCounter, clip, estimate_tokens
from memory_secretary.nodes.acts import act_lines, acts_of
from memory_secretary.nodes.call_arguments import subject_of
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.figures import (
    PARTS,
    Figure,
    Limit,
    asked_for,
    asks_for_each,
    asks_to_compute,
    figures_of,
    rivals,
    short_name,
    shown,
    total_of,
)
from memory_secretary.nodes.nearness import nearest_open
from memory_secretary.nodes.states import amounts_noted
from memory_secretary.nodes.way import way_lines, way_of
from memory_secretary.nodes.wording import Wording

OPEN_SHOWN = 5
"""Open items that are listed and can be chosen in one step; the rest is counted."""
DONE_SHOWN = 12
"""Done items that a choice among open ones is shown at the least; older ones fold so many at a time, so that the
prompt keeps its beginning, and with it the server's cache, in between."""
_GOAL_AGAIN = 80
"""Tokens of the goal when it is repeated at the end."""
_SAID = 80
"""Tokens of a sentence of the user that is quoted beside what was computed with it."""
_ROUNDS, _ROUND = 40, 8
"""A line that goes may bring one that counts what is missing, so shortening takes rounds, of some tokens at least."""
_SHRINK_ORDER = (
    *("recalled", "methods", "newest", "done", "figures", "open", "reminders"),
    *("earlier", "amended", "kept", "constraints", "goal_again"),
)
"""Which section gives way first when the budget is short; the goal never does before all of these."""
ANSWER_ORDER = (
    *("recalled", "methods", "newest", "goal_again", "reminders", "open"),
    *("earlier", "amended", "kept", "constraints", "done", "figures"),
)
"""The same for the step that answers from what was noted: the noted values give way last."""


class Newest(TypedDict):
    """The digest of the newest result: the call on one line, the chosen lines, and the event it stands in."""

    call: str
    lines: list[str]
    ref: str


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the brief.

    ``drop`` says at which end lines give way, ``minimum`` how many lines always stay, ``folded`` how many of the first
    lines are left out whatever the room.
    """

    name: str
    heading: str
    lines: tuple[str, ...]
    minimum: int = 0
    drop: str = "last"
    folded: int = 0


@dataclass(frozen=True, slots=True)
class Brief:
    """The finished text, the tokens of each section, and how many lines of each were left out."""

    text: str
    sections: dict[str, int]
    left_out: dict[str, int] = field(default_factory=dict)


def sections_of(
    state: TaskState,
    words: Wording,
    *,
    recalled: Sequence[str] = (),
    methods: Sequence[str] = (),
    kept: Sequence[str] = (),
    newest: Newest | None = None,
    reminders: Sequence[str] = (),
    instruction: str = "",
) -> list[Section]:
    """The sections of a brief in their order (design, section 6.2); empty ones are left out."""
    closed, waiting = closed_items(state), nearest_open(state)
    total = len(closed) + len(waiting)
    failed = sum(item["status"] == "failed" for item in closed)
    progress = words.progress_line.format(done=len(closed) - failed, all=total, open=len(waiting))
    progress += words.progress_failed.format(failed=failed) if failed else ""
    sections = [
        Section("goal", words.goal, (state["goal"],), minimum=1),
        Section("earlier", words.earlier, (clip(state["earlier_goal"], _GOAL_AGAIN),) if state["earlier_goal"] else ()),
        Section("amended", words.amended, tuple(state["amendments"]), drop="first"),
        Section("constraints", words.constraints, tuple(f"- {text}" for text in state["constraints"])),
        Section("done", words.done, tuple(_done_lines(state, words)), drop="first"),
        Section("progress", words.progress, (progress,) if total else (), minimum=1),
        Section("figures", words.figures, () if waiting else computed_lines(state, words)),
        Section("newest", _newest_heading(newest, words), tuple(newest["lines"]) if newest else ()),
        Section("recalled", words.recalled, tuple(recalled)),
        Section("methods", words.methods, tuple(methods)),
        Section("open", words.open, _open_lines(waiting, words), minimum=1),
        Section("reminders", words.reminders, tuple(f"- {text}" for text in reminders), drop="first"),
        Section("kept", words.kept, tuple(kept)),
        Section("goal_again", words.goal_again, (clip(state["goal"], _GOAL_AGAIN),)),
        Section("instruction", "", (instruction,) if instruction else (), minimum=1),
    ]
    return [section for section in sections if section.lines]


def for_reply(sections: Sequence[Section], words: Wording) -> list[Section]:
    """The sections for a message that is only to be answered: a greeting is no goal, and its own words no constraint.

    A 1.5B that was told something as its goal replied that it would keep to the goal and to what must hold.
    """
    message = "\n".join(line for section in sections if section.name == "goal" for line in section.lines)
    changed = {
        "goal": lambda section: replace(section, heading=words.message),
        "constraints": lambda section: replace(
            section, lines=tuple(line for line in section.lines if line.removeprefix("- ") not in message)
        ),
        "goal_again": lambda section: replace(section, lines=()),
    }
    shown = (changed[section.name](section) if section.name in changed else section for section in sections)
    return [section for section in shown if section.lines]


def folding(sections: Sequence[Section]) -> list[Section]:
    """The sections with all but the last dozen or two of the done items folded."""
    return [
        replace(s, folded=max(0, len(s.lines) // DONE_SHOWN - 1) * DONE_SHOWN) if s.name == "done" else s
        for s in sections
    ]


def _done_lines(state: TaskState, words: Wording) -> Iterator[str]:
    """The closed items on a line each.

    Once nothing is open, what the records said is left out where something was done to the world, or where a way stands
    below: a small model adds up whatever amounts it sees, and takes the last value for the first.
    """
    closed, bare = closed_items(state), not open_items(state)
    way = {item["id"] for item in way_of(state)} if bare else set()
    acted = bare and any(item["subject"] and item["status"] == "done" for item in closed)
    for item in closed:
        hidden = item["id"] in way or (acted and not item["subject"] and item["status"] == "done")
        yield f"- {item['text']}" if hidden else done_line(item, words)


def done_line(item: Item, words: Wording) -> str:
    """A closed item on one line: the call and what came of it."""
    result = item["result"] if item["status"] == "done" else words.failed.format(error=item["result"])
    call = call_text(item["action"], item["arguments"]) if item["action"] else item["text"]
    return f"- {call} → {result}"


def computed_lines(state: TaskState, words: Wording) -> tuple[str, ...]:
    """What was done to the world, then what the noted values come to; sums of what was done, and a way, stand alone."""
    if way := way_lines(state, words):
        return way
    acts = acts_of(state)
    lines = act_lines(acts, words)
    if any(each.totals for each in acts):
        return lines
    figures = state_lines(state, words) if state["states"] else figure_lines(state, words)
    return (*lines, *figures, *_unread_lines(state, words))


def state_lines(state: TaskState, words: Wording) -> tuple[str, ...]:
    """Which records are in the state that the goal asks about and what they come to, and which do not say."""
    of = {
        meets: [short_name(name) for name, m in state["states"].items() if m is meets] for meets in (True, False, None)
    }
    lines = [words.state_line.format(yes=", ".join(of[True]) or "–", no=len(of[False]))]
    noted = amounts_noted(state)
    if total := total_of(noted):
        amounts = "; ".join(f"{short_name(value['subject'])}: {value['value']}" for value in noted)
        lines.append(words.state_total.format(amounts=amounts, total=total))
    if of[None]:
        lines.append(words.state_untold.format(names=", ".join(of[None])))
    return tuple(f"- {line}" for line in lines)


def figure_lines(state: TaskState, words: Wording) -> tuple[str, ...]:
    """What the noted values come to, as far as the goal could be after it, one line a field; once nothing is open."""
    goal = whole_goal(state)
    said = f"{state['earlier_goal']}\n{goal}"
    figures = figures_of(state["values"], state["adjustments"])
    each = [f"{short_name(value['subject'])}: {value['value']}" for value in state["values"]]
    listed = (words.each_first, *each) if each and asks_for_each(goal) else ()
    if not figures and (few := rivals(said, state["values"])):
        values = "; ".join(f"{value['subject']}: {value['value']}" for value in few)
        return (*listed, f"- {words.rivals.format(name=few[0]['name'], values=values)}")
    if not figures and len(state["values"]) == 1 and asks_to_compute(said):
        [value] = state["values"]
        record = short_name(value["subject"])
        return (*listed, f"- {words.only_value.format(name=value['name'], value=value['value'], record=record)}")
    parts = (asked_for(said, limited=_is_limited(figure)) for figure in figures)
    return (*listed, *(figure_line(one, words, shown, goal=goal) for one, shown in zip(figures, parts, strict=True)))


def _is_limited(figure: Figure) -> bool:
    """Whether a figure is only held against a limit: one that the user set, or that stands among its records."""
    return bool(figure.limits) and not figure.added and not any(limit.subject for limit in figure.limits)


def _unread_lines(state: TaskState, words: Wording) -> tuple[str, ...]:
    """The records that could not be read, where values of others are counted; one whose new name was read is none."""
    calls = [(subject_of(item["arguments"]), item) for item in closed_items(state) if item["action"]]
    read = {name for name, item in calls if name and item["status"] == "done"}
    failed = [(name, item["result"]) for name, item in calls if name not in read and item["status"] == "failed"]
    lost = dict.fromkeys(name for name, said in failed if name and not any(other in said for other in read))
    return (f"- {words.unread.format(names=', '.join(lost))}",) if lost and state["values"] else ()


def figure_line(figure: Figure, words: Wording, parts: Sequence[str] = PARTS, *, goal: str = "") -> str:
    """The computed figures of one field, on one line.

    Args:
        figure: the field over its records.
        words: the user's language.
        parts: which of :data:`PARTS` are shown.
        goal: what the user said in this task; their words from elsewhere are quoted.
    """
    values = {
        "total": _total(figure, words, goal),
        "high": shown(figure.high),
        "high_of": figure.records_of(figure.high),
        "low": shown(figure.low),
        "low_of": figure.records_of(figure.low),
        "spread": shown(figure.high - figure.low),
        "mean": shown(figure.mean),
    }
    said = "; ".join(str(getattr(words, f"figure_{part}")).format(**values) for part in parts)
    form = words.figure_line if said else words.figure_bare
    line = form.format(name=figure.name, count=len(figure.values), parts=said)
    without = [
        words.figure_without.format(names=", ".join(part.records), said=_said(part.said, words, goal))
        for part in figure.left_out
    ]
    limits = [_limit_line(limit, len(figure.values), words, goal) for limit in figure.limits]
    return "- " + " ".join([line, *without, *limits])


def _total(figure: Figure, words: Wording, goal: str) -> str:
    """The total with its unit; with its operands where the user adds something to what the records say."""
    unit = f" {figure.unit}" if figure.unit[:1].isascii() and figure.unit else figure.unit
    total = f"{shown(figure.total)}{unit}"
    if not figure.added:
        return total
    added = " ".join(
        f"{'-' if part.value < 0 else '+'} {shown(abs(part.value))} {_said(part.said, words, goal)}"
        for part in figure.added
    )
    return words.figure_sum.format(total=total, sum=shown(figure.sum), added=added)


def _limit_line(limit: Limit, count: int, words: Wording, goal: str) -> str:
    """The records on the named side of a limit."""
    about = {"limit": shown(limit.value), "names": ", ".join(limit.records) or "–"}
    above, rest = len(limit.records), count - len(limit.records)
    if limit.subject:
        return words.limit_line.format(**about, subject=limit.subject, above=above, rest=rest)
    return words.own_limit_line.format(
        **about,
        side=words.at_least if limit.relation == "from" else getattr(words, limit.relation),
        name=f" = {limit.name}" if limit.name else "",
        said=_said(limit.said, words, goal),
        count=above,
        rest=rest,
    )


def _said(sentence: str, words: Wording, goal: str) -> str:
    """Where the user said something: in the goal, or elsewhere, in their words."""
    return words.as_goal if sentence in goal else words.as_said.format(said=" ".join(clip(sentence, _SAID).split()))


def value_line(value: KeyValue) -> str:
    """A noted value as it stands in a done line."""
    return f"{value['name']}: {value['value']}"


def _open_lines(waiting: Sequence[Item], words: Wording) -> tuple[str, ...]:
    lines = [f"{item['id']}: {item['text']}" for item in waiting[:OPEN_SHOWN]]
    if len(waiting) > OPEN_SHOWN:
        lines.append(words.more_open.format(n=len(waiting) - OPEN_SHOWN))
    return tuple(lines)


def _newest_heading(newest: Newest | None, words: Wording) -> str:
    return f"{words.newest}: {words.newest_line.format(call=newest['call'])}" if newest else words.newest


def fit(
    sections: Sequence[Section],
    budget: int,
    words: Wording,
    count: TokenCounter = estimate_tokens,
    order: Sequence[str] = _SHRINK_ORDER,
) -> Brief:
    """Shorten sections in the stated ``order`` until the whole fits ``budget`` tokens.

    What was left out is counted in the brief's ``left_out``, and in the text where a part of the section stays.
    The goal is clipped only when nothing else is left to give; a budget below its heading gives an empty text.
    """
    kept = list(sections)
    allowed = budget
    for _ in range(_ROUNDS):
        kept = _shrunk(sections, allowed, count, order)
        text = render(kept, sections, words)
        over = count(text) - budget
        if over <= 0:
            return _brief(text, kept, sections, count)
        allowed -= max(over, _ROUND)
    return _brief(clip(text, budget, count), kept, sections, count)


def _shrunk(sections: Sequence[Section], budget: int, count: TokenCounter, order: Sequence[str]) -> list[Section]:
    kept = {s.name: replace(s, lines=s.lines[s.folded :]) for s in sections}
    costs = {s.name: [count(line) + 1 for line in s.lines] for s in kept.values()}
    excess = sum(sum(costs[s.name]) + count(s.heading) + 3 for s in sections) - budget
    for name in order:
        section = kept.get(name)
        while section and excess > 0 and len(section.lines) > section.minimum:
            section, freed = _without_one(section, costs[name])
            excess -= freed
            kept[name] = section
    if excess > 0 and "goal" in kept:
        goal = kept["goal"]
        kept["goal"] = replace(goal, lines=(clip(goal.lines[0], max(0, costs["goal"][0] - excess), count),))
    return [kept[s.name] for s in sections if kept[s.name].lines]


def _without_one(section: Section, costs: list[int]) -> tuple[Section, int]:
    if section.drop == "first":
        return replace(section, lines=section.lines[1:]), costs.pop(0)
    return replace(section, lines=section.lines[:-1]), costs.pop()


def render(kept: Sequence[Section], original: Sequence[Section], words: Wording) -> str:
    """The sections as text; where lines are missing the section says how many."""
    full = {section.name: len(section.lines) for section in original}
    parts: list[str] = []
    for section in kept:
        body = list(section.lines)
        missing = full[section.name] - len(body)
        if missing and section.name == "done":
            body.insert(0, words.folded.format(n=missing))
        elif missing:
            body.append(words.left_out.format(n=missing, names=section.heading))
        parts.append("\n".join([f"## {section.heading}", *body] if section.heading else body))
    return "\n\n".join(parts)


def _brief(text: str, kept: Sequence[Section], original: Sequence[Section], count: TokenCounter) -> Brief:
    lines = {section.name: len(section.lines) for section in kept}
    return Brief(
        text=text,
        sections={s.name: count("\n".join((s.heading, *s.lines))) for s in kept},
        left_out={s.name: n for s in original if (n := len(s.lines) - lines.get(s.name, 0))},
    )

"""What one task is drawn with: a world, its words and a seeded source of chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from typing import Any, Literal

from memory_secretary.graph.evaluation.example_truth import Lang
from memory_secretary.graph.evaluation.longtask.documents import Cells, Document, Line, render
from memory_secretary.graph.evaluation.longtask.environment import Call, Fault, ToolSpec
from memory_secretary.graph.evaluation.longtask.outcome import End
from memory_secretary.graph.evaluation.longtask.task import Length, LongTask, Oracle
from memory_secretary.graph.evaluation.longtask.words import Measure, Shelf
from memory_secretary.graph.evaluation.longtask.words_en import WORDS as ENGLISH
from memory_secretary.graph.evaluation.longtask.words_zh import WORDS as CHINESE
from memory_secretary.memory.tokens import estimate_tokens

Act = Literal["pay", "tell", "store"]
Sizes = Mapping[Length, tuple[int, int]]
"""The least and the most of something, by length."""

READ_ALL: Sizes = {"short": (2, 2), "medium": (7, 9), "long": (11, 20), "longest": (31, 38)}
"""How many records are read in a task that needs one call more, for the listing."""

_WORDS = {"en": ENGLISH, "zh": CHINESE}
_MAIN = "main"
_ALL_RECORDS = 9_200
"""Tokens of all records together that a task has at least, so that no window of 2,048 holds a quarter of them."""
_SHORT_RECORD = 900
_LEAST_RECORD = 330


@dataclass(frozen=True, slots=True)
class Report:
    """A record with a figure: its name, what it is about, the figure, and who kept it."""

    name: str
    title: str
    value: int
    keeper: str


class Scene:
    """Draws the parts of one task. The same arguments give the same parts.

    Attributes:
        rng: the source of chance.
        length: how long the task is to be.
        world: the surface drawn.
        shelf: the kind of records that the task is about; reports, until a family changes it.
        measure: the figure that the task is about.
    """

    def __init__(self, family: str, seed: int, lang: Lang, length: Length):
        self.rng = random.Random(f"{family}-{seed}-{lang}-{length}")
        self.length = length
        self._family, self._seed, self._lang = family, seed, lang
        self._words = _WORDS[lang]
        self.world = self.rng.choice(self._words.worlds)
        self.shelf: Shelf = self.world.reports
        self.measure: Measure = self.rng.choice(self.world.measures)
        self._people = self._shuffled_people()
        self._fillers = self._endless(self._words.fillers)

    # --- chance and words -------------------------------------------------------------------------------------------

    def size(self, sizes: Sizes) -> int:
        """A number within the bounds of the task's length."""
        return self.rng.randint(*sizes[self.length])

    def kind(self, kinds: Sequence[str], *, short: Sequence[str] | None = None) -> str:
        """One of the kinds of a family; ``short`` lists those that fit a short task."""
        return self.rng.choice(short if short and self.length == "short" else kinds)

    def say(self, key: str, /, **slots: Any) -> str:
        """One of the phrases of a key, filled with the slots given and those of the world."""
        return self._filled(self.rng.choice(self._words.phrases[key]), slots)

    def sentences(self, *texts: str) -> str:
        """Texts in a row, as the language sets them."""
        return self._words.space.join(texts)

    def goal(self, key: str, *hints: str, named: Sequence[str] = (), **slots: Any) -> str:
        """What the user asks, about the records named or about all that are listed, with hints after it."""
        which = self.say("which.named", names=self._words.and_.join(named)) if named else self.say("which.all")
        return self.sentences(self.say(key, which=which, **slots), *map(self.say, hints))

    def person(self) -> str:
        """A name that was not drawn before."""
        return next(self._people)

    def date(self) -> str:
        """A day of the first eight months of the year, as a sentence names it."""
        month, day = self.rng.randint(1, 8), self.rng.randint(1, 28)
        return self._words.date.format(month=self._words.months[month - 1], day=day)

    def names(self, count: int) -> list[str]:
        """Names of records on the shelf, in order."""
        return [f"{self.shelf.prefix}-{number}" for number in sorted(self.rng.sample(range(101, 990), count))]

    # --- records ----------------------------------------------------------------------------------------------------

    def reports(self, count: int) -> list[Report]:
        """Reports with figures of the task's measure that all differ, by two at least; many go beyond its range."""
        low, high = self.measure.low, max(self.measure.high, self.measure.low + 2 * count)
        values = self.rng.sample(range(low, high + 1, 2), count)
        subjects = sorted(self.rng.sample(range(1, 53), count))
        titles = [self.world.subject.format(number=number) for number in subjects]
        rows = zip(self.names(count), titles, values, strict=True)
        return [Report(name, title, value, self.person()) for name, title, value in rows]

    def report_text(self, report: Report, reads: int, *extra: str) -> str:
        """The text of a report; ``extra`` sentences stand somewhere in it."""
        values = {one: self.rng.randint(one.low, one.high) for one in self.world.measures}
        facts = [
            *(self._figure(one, value) for one, value in {**values, self.measure: report.value}.items()),
            self.fact("kept", "label.kept", report.keeper, person=report.keeper),
            *map(Line, extra),
        ]
        return self.document(report.name, report.title, facts, reads)

    def limits_text(self, name: str, title: str, limit: int, reads: int) -> str:
        """The text of the record that sets the year's limits of every measure."""
        rows = [self._limit(one, limit if one == self.measure else None) for one in self.world.measures]
        return self.document(name, title, rows, reads)

    def fact(self, key: str, label: str, entry: str, /, **slots: Any) -> Line:
        """A line that tells one thing; an empty entry makes its own sentence the entry of a table."""
        text = self.say(key, **slots)
        return Line(text, self.say(label), ((self.say("col.value"), entry or text),))

    def document(self, name: str, title: str, facts: Sequence[Line], reads: int) -> str:
        """A record with these facts somewhere among noise.

        Args:
            name: under which it is read.
            title: what it is about.
            facts: what it has to say.
            reads: how many records the task has, which share its tokens.
        """
        share = _SHORT_RECORD if self.length == "short" else max(_LEAST_RECORD, _ALL_RECORDS // reads)
        lines = self._noise(share * self.rng.uniform(0.95, 1.2) - sum(estimate_tokens(line.text) for line in facts))
        for line in facts:
            lines.insert(self.rng.randint(len(lines) // 6, len(lines)), line)
        date = f"2026-{self.rng.randint(1, 8):02}-{self.rng.randint(1, 28):02}"
        author, *readers = (self._anybody() for _ in range(3))
        heading = " – ".join(filter(None, [f"{_capital(self.shelf.noun)} {name}", title]))
        page = Document(
            title=heading, date=date, author=author, readers=tuple(readers), lines=lines, space=self._words.space
        )
        return render(page, self.rng)

    def _figure(self, measure: Measure, value: int) -> Line:
        plan, last, other = self._others(measure, value)
        text = self.say("figure", label=measure.label, value=value, plan=plan, last=last, other=other)
        columns = (self.say("col.actual"), self.say("col.plan"), self.say("col.last"), self.world.elsewhere)
        return Line(text, measure.label, _cells(columns, (value, plan, last, other)))

    def _limit(self, measure: Measure, limit: int | None) -> Line:
        value = self.rng.randint(measure.low, measure.high) if limit is None else limit
        last, other, _ = self._others(measure, value)
        text = self.say("limit", label=measure.label, value=value, last=last, other=other)
        columns = (self.say("col.limit"), self.say("col.old"), self.world.elsewhere)
        return Line(text, measure.label, _cells(columns, (value, last, other)))

    def _others(self, measure: Measure, value: int) -> list[int]:
        """Three figures of a measure that are not this one."""
        drawn = self.rng.sample(range(measure.low, measure.high + 1), 4)
        return [number for number in drawn if number != value][:3]

    def _noise(self, tokens: float) -> list[Line]:
        lines: list[Line] = []
        while tokens > 0:
            template = next(self._fillers)
            lines.append(Line(self._filled(template, {})))
            tokens -= _tokens(template)
        return lines

    # --- calls and the whole ----------------------------------------------------------------------------------------

    def listed(self) -> Call:
        """The call that lists the shelf."""
        return Call(self.shelf.listing, {})

    def read(self, name: str) -> Call:
        """The call that reads one record."""
        return Call(self.shelf.reading, {self.shelf.key: name})

    def act(self, act: Act, *values: Any) -> Call:
        """The call of an act with its arguments in order."""
        tool, *arguments = self._tool(act)
        return Call(tool, dict(zip(arguments, values, strict=True)))

    def task(
        self,
        *turns: str | tuple[str, str],
        records: Mapping[str, str],
        titles: Mapping[str, str] | None,
        acts: Sequence[Act],
        end: End,
        calls: Sequence[Call],
        faults: Sequence[Fault] = (),
    ) -> LongTask:
        """The finished task.

        Args:
            turns: what the user says; alone, or as (thread, text).
            records: the texts by name.
            titles: the listing, or None when there is no tool for it.
            acts: which acts are offered.
            end: the right end, and the oracle's answer.
            calls: the oracle's calls.
            faults: which calls fail.
        """
        listing = [] if titles is None else [self._listing_spec(titles)]
        return LongTask(
            family=self._family,
            seed=self._seed,
            lang=self._lang,
            length=self.length,
            turns=tuple((_MAIN, turn) if isinstance(turn, str) else turn for turn in turns),
            specs=(*listing, self._reading_spec(records), *(self._act_spec(act) for act in acts)),
            records=dict(records),
            faults=tuple(faults),
            outcome=end.outcome,
            oracle=Oracle(tuple(calls), end.answer),
        )

    def _tool(self, act: Act) -> tuple[str, ...]:
        tools: dict[Act, tuple[str, ...]] = {"pay": self.world.pay, "tell": self.world.tell, "store": self.world.store}
        return tools[act]

    def _listing_spec(self, titles: Mapping[str, str]) -> ToolSpec:
        listing = "\n".join(f"{name}  {title}" for name, title in titles.items())
        return ToolSpec(name=self.shelf.listing, doc=self.say("doc.list"), job="list", reply=listing)

    def _reading_spec(self, records: Mapping[str, str]) -> ToolSpec:
        numbered = all(name.startswith(f"{self.shelf.prefix}-") for name in records)
        doc = self.say("doc.read" if numbered else "doc.read.person")
        return ToolSpec(
            name=self.shelf.reading,
            doc=doc,
            parameters={self.shelf.key: str},
            job="read",
            keyed=True,
            unknown=self.say("unknown"),
        )

    def _act_spec(self, act: Act) -> ToolSpec:
        tool, key, *rest = self._tool(act)
        return ToolSpec(
            name=tool,
            doc=self.say(f"doc.{act}"),
            parameters={key: str, **dict.fromkeys(rest, float if act == "pay" else str)},
            job="act",
            keyed=act != "tell",
            reply=self.say(f"reply.{act}", key=key, amount=rest[0] if rest else ""),
            unknown=self.say("unknown"),
        )

    # --- slots ------------------------------------------------------------------------------------------------------

    def _filled(self, template: str, slots: Mapping[str, Any]) -> str:
        return template.format_map(_Slots({**self._fixed(), **slots}, self._drawn()))

    def _fixed(self) -> dict[str, str]:
        world, shelf, label = self.world, self.shelf, self.measure.label
        names = {"place": world.place, "elsewhere": world.elsewhere, "label": label}
        capitals = {f"{key}_": _capital(text) for key, text in names.items()}
        return {**names, **capitals, "noun": shelf.noun, "plural": shelf.plural, "money": world.money}

    def _drawn(self) -> dict[str, Callable[[], Any]]:
        return {
            "person": self._anybody,
            "colleague": lambda: self.rng.choice(self._words.given),
            "other_person": self.person,
            "room": lambda: self.rng.choice(self.world.rooms),
            "things": lambda: self.rng.choice(self.world.things),
            "n": lambda: self.rng.randint(3, 29),
            "date": self.date,
        }

    def _anybody(self) -> str:
        words = self._words
        return words.name.format(given=self.rng.choice(words.given), family=self.rng.choice(words.family))

    def _shuffled_people(self) -> Iterator[str]:
        pairs = list(product(self._words.given, self._words.family))
        self.rng.shuffle(pairs)
        return (self._words.name.format(given=given, family=family) for given, family in pairs)

    def _endless(self, texts: Sequence[str]) -> Iterator[str]:
        return chain.from_iterable(self.rng.sample(texts, len(texts)) for _ in iter(int, 1))


class _Slots(dict[str, Any]):
    """Slots that are drawn only when a template has them."""

    def __init__(self, known: Mapping[str, Any], drawn: Mapping[str, Callable[[], Any]]):
        super().__init__(known)
        self._drawn = drawn

    def __missing__(self, key: str) -> Any:
        return self._drawn[key]()


@cache
def _tokens(template: str) -> int:
    """What a sentence costs; its slots count about as much as what fills them."""
    return estimate_tokens(template)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cells(columns: Sequence[str], values: Sequence[int]) -> Cells:
    return tuple((column, str(value)) for column, value in zip(columns, values, strict=True))

"""The kinds of words that tasks are made of; ``words_en`` and ``words_zh`` hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shelf:
    """One kind of record and the tools that reach it.

    Attributes:
        noun: what one record is called.
        plural: what several are called.
        prefix: of the records' names (``INV-204``).
        listing: the tool that lists them, without arguments.
        reading: the tool that reads one.
        key: the argument that takes the name.
    """

    noun: str
    plural: str
    prefix: str
    listing: str
    reading: str
    key: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that every report states: what it is called and the range of its values."""

    label: str
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One surface: places, nouns and tool names.

    Attributes:
        place: whose records these are.
        elsewhere: a place like it, whose figures are not wanted.
        subject: what each report is about, with the slot ``number``.
        reports: records with figures.
        cases: records with a party, an amount and a state.
        measures: what the reports count.
        pay: tool and arguments (case, amount).
        tell: tool and arguments (person, text).
        store: tool and argument (record); nobody ever wants it called.
        money: the sign before an amount.
        rooms: places inside the place, with their article where one is used.
        things: plural nouns that belong there.
    """

    place: str
    elsewhere: str
    subject: str
    reports: Shelf
    cases: Shelf
    measures: tuple[Measure, ...]
    pay: tuple[str, str, str]
    tell: tuple[str, str, str]
    store: tuple[str, str]
    money: str
    rooms: tuple[str, ...]
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language.

    Attributes:
        worlds: its surfaces.
        phrases: by key, several ways of saying the same; filled with named slots.
        fillers: sentences that say nothing that a task asks for.
        given: first names.
        family: second names, some of them alike.
        name: how the two are joined.
        months: the names of the months, January first.
        date: how day and month are joined.
        and_: what joins two names.
        space: what stands between sentences.
    """

    worlds: tuple[World, ...]
    phrases: Mapping[str, tuple[str, ...]]
    fillers: tuple[str, ...]
    given: tuple[str, ...]
    family: tuple[str, ...]
    name: str
    months: tuple[str, ...]
    date: str
    and_: str
    space: str

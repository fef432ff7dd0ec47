"""What the example workspace's reports say, measure by measure: the truth that answers are judged by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Literal

Lang = Literal["en", "zh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One figure that each monthly report states once.

    Attributes:
        name: what the reports call it.
        unit: of the values, in the reports' language.
        limit: what the note on limits allows in a month.
        months: the values from January to December.
    """

    name: str
    unit: str
    limit: Decimal
    months: tuple[Decimal, ...]

    @property
    def highest(self) -> int:
        """The month (1 to 12) of the highest value."""
        return self.months.index(max(self.months)) + 1

    @property
    def lowest(self) -> int:
        """The month (1 to 12) of the lowest value."""
        return self.months.index(min(self.months)) + 1

    @property
    def above(self) -> tuple[int, ...]:
        """The months (1 to 12) whose value exceeds the limit."""
        return tuple(number for number, value in enumerate(self.months, start=1) if value > self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Depot:
    """One depot's reports: where they lie (relative to the workspace) and what they say."""

    name: str
    folder: str
    files: tuple[str, ...]
    note: str
    measures: tuple[Measure, ...]

    @property
    def reports(self) -> tuple[str, ...]:
        """The twelve reports' paths, January first."""
        return tuple(f"{self.folder}/{file}" for file in self.files)


@cache
def depot(lang: Lang) -> Depot:
    """The depot whose reports are written in ``lang``."""
    text = (resources.files("memory_secretary.graph.evaluation") / "truth.json").read_text("utf-8")
    raw = json.loads(text)[lang]
    measures = tuple(
        Measure(
            name=one["name"],
            unit=one["unit"],
            limit=Decimal(one["limit"]),
            months=tuple(Decimal(value) for value in one["months"]),
        )
        for one in raw["measures"]
    )
    return Depot(
        name=raw["depot"], folder=raw["folder"], files=tuple(raw["files"]), note=raw["note"], measures=measures
    )

"""What code can compute from the noted values, so that the small model need not count or compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from memory_secretary.memory.task_state import KeyValue
from memory_secretary.nodes.numbers import normal_number, parse_number


@dataclass(frozen=True, slots=True)
class Figure:
    """The figures of one noted field over all its records. ``high_of`` and ``low_of`` name the records."""

    name: str
    count: int
    total: Decimal
    high: Decimal
    high_of: str
    low: Decimal
    low_of: str

    @property
    def spread(self) -> Decimal:
        """Highest minus lowest."""
        return self.high - self.low

    @property
    def mean(self) -> Decimal:
        """Total by count, rounded half up to two decimals."""
        return (self.total / self.count).quantize(Decimal("0.01"), ROUND_HALF_UP)


def figures_of(values: Sequence[KeyValue]) -> list[Figure]:
    """One figure per field that has numbers from at least two records; a record's latest value counts."""
    by_name: dict[str, dict[str, Decimal]] = {}
    for value in values:
        number = parse_number(value["value"])
        if number is not None:
            by_name.setdefault(value["name"], {})[value["subject"]] = number
    return [_figure(name, numbers) for name, numbers in by_name.items() if len(numbers) > 1]


def _figure(name: str, numbers: dict[str, Decimal]) -> Figure:
    high, low = max(numbers.values()), min(numbers.values())
    return Figure(
        name=name,
        count=len(numbers),
        total=sum(numbers.values(), Decimal(0)),
        high=high,
        high_of=", ".join(subject for subject, number in numbers.items() if number == high),
        low=low,
        low_of=", ".join(subject for subject, number in numbers.items() if number == low),
    )


def shown(value: Decimal) -> str:
    """A number for a reader: no needless decimals."""
    return normal_number(value)

"""Bars as SVG within a page.

Everything along the axis is in per cent, so that the letters keep their size in a narrow window. Colours are classes
(``s0`` …), which the page gives for light and for dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, log10

_ROW = 46
"""Pixels from one bar to the next: a line of letters, the bar, a gap."""
_TEXT, _BAR, _HEIGHT = 14, 21, 13
_TICKS = 4
_FOOT = 44
_ROUND = (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10)
COLOURS = 8
"""Classes of colour that the page has to give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One line of a plot.

    Attributes:
        label: over the bar, at its left.
        value_text: over the bar, at its right.
        parts: lengths that follow each other, in the order of the plot's legend.
        interval: ends of a whisker over the bar.
        colour: class of a bar with one part; None means that the parts are told apart.
        gap: whether a group begins here.
    """

    label: str
    value_text: str
    parts: Sequence[float]
    interval: tuple[float, float] | None = None
    colour: int | None = None
    gap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Bars over one axis.

    Attributes:
        title: what is seen, for who cannot see it.
        unit: stands under the axis.
        bars: from the top down.
        legend: names of the parts, where bars have several.
        top: end of the axis; None takes a round number beyond the longest bar.
    """

    title: str
    unit: str
    bars: Sequence[Bar]
    legend: Sequence[str] = field(default_factory=tuple)
    top: float | None = None


def svg(plot: Plot) -> str:
    """The plot, as wide as what it stands in."""
    top = plot.top or round_up(max((_end(bar) for bar in plot.bars), default=0.0))
    places, height = _places(plot.bars)
    bars = "".join(_bar(bar, y, top) for bar, y in zip(plot.bars, places, strict=True))
    return (
        f'<svg role="img" aria-label="{escape(plot.title)}" width="100%" height="{height + _FOOT}">'
        f"{_axis(top, height, plot.unit)}{bars}</svg>{_legend(plot.legend)}"
    )


def round_up(value: float) -> float:
    """The least round number whose quarters are round too and that is not below ``value``; 1 for nothing."""
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next((step * power for step in _ROUND if step * power >= value * (1 - 1e-9)), value)


def _end(bar: Bar) -> float:
    return max(sum(bar.parts), *(bar.interval or (0.0,)))


def _places(bars: Sequence[Bar]) -> tuple[list[int], int]:
    """Where each bar begins, and where the axis lies."""
    places, y = [], 0
    for bar in bars:
        y += _TEXT * bar.gap
        places.append(y)
        y += _ROW
    return places, y


def _axis(top: float, y: int, unit: str) -> str:
    lines = []
    for tick in range(_TICKS + 1):
        x = 100 * tick / _TICKS
        anchor = "start" if tick == 0 else "end" if tick == _TICKS else "middle"
        lines.append(f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="{y + 4}"/>')
        label = _tick(top * tick / _TICKS)
        lines.append(f'<text class="tick" x="{x}%" y="{y + 18}" text-anchor="{anchor}">{label}</text>')
    return "".join(lines) + f'<text class="tick" x="50%" y="{y + 36}" text-anchor="middle">{escape(unit)}</text>'


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value == ceil(value) else f"{value:,.4g}"


def _bar(bar: Bar, y: int, top: float) -> str:
    parts, x = [], 0.0
    for place, part in enumerate(bar.parts):
        width = 100 * part / top
        colour = bar.colour if bar.colour is not None else place
        parts.append(
            f'<rect class="s{colour % COLOURS}" x="{x:.2f}%" y="{y + _BAR}" width="{width:.2f}%" height="{_HEIGHT}"/>'
        )
        x += width
    return (
        f'<text class="label" x="0" y="{y + _TEXT}">{escape(bar.label)}</text>'
        f'<text class="value" x="100%" y="{y + _TEXT}" text-anchor="end">{escape(bar.value_text)}</text>'
        f"{''.join(parts)}{_whisker(bar, y, top)}"
    )


def _whisker(bar: Bar, y: int, top: float) -> str:
    if bar.interval is None:
        return ""
    low, high = (f"{100 * end / top:.2f}%" for end in bar.interval)
    middle, ends = y + _BAR + _HEIGHT / 2, f'y1="{y + _BAR + 2}" y2="{y + _BAR + _HEIGHT - 2}"'
    return (
        f'<line class="whisker" x1="{low}" x2="{high}" y1="{middle}" y2="{middle}"/>'
        f'<line class="whisker" x1="{low}" x2="{low}" {ends}/><line class="whisker" x1="{high}" x2="{high}" {ends}/>'
    )


def _legend(names: Sequence[str]) -> str:
    keys = (f'<span><i class="s{place % COLOURS}"></i>{escape(name)}</span>' for place, name in enumerate(names))
    return f'<p class="legend">{"".join(keys)}</p>' if names else ""

"""Every colour stands out from a white ground and from a black one."""

import re
from pathlib import Path

import pytest
from rich.color import Color

from memory_secretary.graph import palette

COLOURS = {name: value for name, value in vars(palette).items() if name.isupper()}
LEAST = 3.5
"""Contrast; WCAG asks for 3 of large letters and signs, and no colour has more than 4.6 on both grounds."""
GRAPH = Path(palette.__file__).parent


def luminance(colour):
    """Relative luminance (WCAG 2)."""
    channels = [part / 255 for part in colour.get_truecolor()]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("name", COLOURS)
def test_a_colour_is_readable_on_both_grounds(name):
    colour = Color.parse(COLOURS[name])
    light = luminance(colour)
    assert colour.number >= 16, "a theme may change the first sixteen"
    assert 1.05 / (light + 0.05) >= LEAST
    assert (light + 0.05) / 0.05 >= LEAST


def test_no_screen_has_a_colour_of_its_own():
    own = re.compile(r'"(?:bold )?(?:cyan|yellow|green|red|dim|bright_\w+|white|black|magenta|blue)"')
    screens = [*GRAPH.glob("*.py"), *(GRAPH / "doctor").glob("*.py")]
    assert [path.name for path in screens if own.search(path.read_text("utf-8"))] == []

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_secretary.tools.clock import ClockError, clock_tool, moment

AT = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)


def test_the_moment_is_told_in_the_zone_asked_for() -> None:
    assert moment(AT, "Asia/Shanghai") == "2026-03-02 04:30 Monday, Asia/Shanghai (UTC+08:00)"
    assert moment(AT, "UTC") == "2026-03-01 20:30 Sunday, UTC (UTC+00:00)"
    assert moment(AT, "America/St_Johns").endswith("(UTC-03:30)")


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../etc/passwd", "Asia", "a\x00b", "/etc/localtime"])
def test_an_unknown_zone_is_refused_with_an_example(zone: str) -> None:
    with pytest.raises(ClockError, match="Asia/Shanghai"):
        moment(AT, zone)


def test_the_tool_uses_the_clock_and_the_zone_handed_in() -> None:
    tool = clock_tool(lambda: AT, "Europe/Berlin")
    assert tool.invoke({}) == "2026-03-01 21:30 Sunday, Europe/Berlin (UTC+01:00)"
    assert "04:30" in tool.invoke({"zone": "Asia/Shanghai"})
    assert "no time zone" in tool.invoke({"zone": "nowhere"})

"""The present moment as a tool, from a clock that is handed in."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from langchain_core.tools import BaseTool, StructuredTool

from memory_secretary.memory.clock import Clock, system_clock
from memory_secretary.tools.effects import Effect, mark
from memory_secretary.tools.refusal import Refusal, told


class ClockError(Refusal):
    """The zone is not known; the sentence says how zones are written."""


def clock_tool(now: Clock = system_clock, zone: str = "UTC") -> BaseTool:
    """The tool ``clock(zone=…)``.

    Args:
        now: gives the present moment as an aware datetime.
        zone: the IANA zone when the model names none.
    """
    home = zone

    def clock(zone: str = home) -> str:
        """Tell date, weekday and time in a zone such as Asia/Shanghai."""
        return moment(now(), zone)

    return mark(StructuredTool.from_function(clock, handle_tool_error=told), Effect.READ_ONLY)


def moment(at: datetime, zone: str) -> str:
    """An aware moment as it reads in ``zone``: ``2026-03-02 09:30 Monday, Asia/Shanghai (UTC+08:00)``.

    Raises:
        ClockError: no such zone.
    """
    try:
        local = at.astimezone(ZoneInfo(zone.strip()))
    except (LookupError, ValueError, OSError) as error:  # unknown, malformed, or the name of a whole region
        msg = f'There is no time zone "{zone}"; give one such as Europe/Berlin, Asia/Shanghai or UTC.'
        zh = f"没有名为“{zone}”的时区；请给出 Asia/Shanghai、Europe/Berlin 或 UTC 这样的名字。"
        raise ClockError(msg, zh=zh) from error
    offset = local.strftime("%z")
    return f"{local:%Y-%m-%d %H:%M %A}, {zone.strip()} (UTC{offset[:3]}:{offset[3:5]})"

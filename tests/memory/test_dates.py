"""Days that are named by their distance."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import CardDraft, Role, Scope, TieredMemory, format_memories
from memory_secretary.memory.dates import spoken_days, with_days

ANA = Scope(user="ana", thread="t1")
SHANGHAI = ZoneInfo("Asia/Shanghai")
SUNDAY = datetime(2026, 2, 28, 16, 30, tzinfo=UTC)
"""Half past midnight on Sunday, 1 March 2026, in Shanghai; Saturday, 28 February, in Los Angeles."""


@pytest.mark.parametrize(
    ("text", "words", "day"),
    [
        ("下周三把备份交给小周", "下周三", "2026-03-04"),
        ("上周五说过", "上周五", "2026-02-20"),
        ("下下个星期一开会", "下下个星期一", "2026-03-09"),
        ("这周日休息", "这周日", "2026-03-01"),
        ("明天下午", "明天", "2026-03-02"),
        ("大后天出发", "大后天", "2026-03-04"),
        ("昨晚吃了药", "昨晚", "2026-02-28"),
        ("三天前", "三天前", "2026-02-26"),
        ("两周后", "两周后", "2026-03-15"),
        ("我三天后出差", "三天后", "2026-03-04"),
        ("请在3天之后提醒我", "3天之后", "2026-03-04"),
        ("See you tomorrow.", "tomorrow", "2026-03-02"),
        ("the day after tomorrow at noon", "the day after tomorrow", "2026-03-03"),
        ("It was last Friday", "last Friday", "2026-02-27"),
        ("last Sunday", "last Sunday", "2026-02-22"),
        ("next Wednesday", "next Wednesday", "2026-03-04"),
        ("in 3 days", "in 3 days", "2026-03-04"),
        ("two weeks ago", "two weeks ago", "2026-02-15"),
    ],
)
def test_a_day_is_resolved_in_the_calendar_of_its_speaker(text: str, words: str, day: str) -> None:
    (found,) = spoken_days(text, SUNDAY, SHANGHAI)
    assert (found.words, found.day.isoformat()) == (words, day)
    assert text[found.start :].startswith(words)


@pytest.mark.parametrize(
    "text",
    [
        "for two days",
        "过两天",
        "几天后",
        "tomorrowland",
        "9.5 days ago",
        "in 99 rooms",
        "",
        "收货十天之后付款",
        "手术两周后复查",
        "考试三天前通知",
    ],
)
def test_what_names_no_day_gives_none(text: str) -> None:
    assert spoken_days(text, SUNDAY, SHANGHAI) == []


def test_a_day_outside_of_the_calendar_is_left_out() -> None:
    assert spoken_days("999 weeks ago", datetime(2, 1, 1, tzinfo=UTC), UTC) == []


def test_the_same_moment_is_another_day_elsewhere() -> None:
    assert with_days("tomorrow", SUNDAY, ZoneInfo("America/Los_Angeles")) == "tomorrow = 2026-03-01"


@given(st.datetimes(timezones=st.just(UTC)), st.integers(1, 400))
def test_ago_and_in_are_opposites(at: datetime, days: int) -> None:
    there = [one.day for one in spoken_days(f"in {days} days", at, UTC)]
    if there:
        later = datetime(there[0].year, there[0].month, there[0].day, tzinfo=UTC)
        assert [one.day for one in spoken_days(f"{days} days ago", later, UTC)] == [at.date()]
    else:
        assert date.max - at.date() < timedelta(days=days)


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    assert all(text[one.start :].strip().startswith(one.words) for one in spoken_days(text, SUNDAY, SHANGHAI))


@pytest.mark.parametrize(
    ("said", "days"), [("下周三交给小周", "下周三 = 2026-03-04"), ("kiln tomorrow", "tomorrow = 2026-03-02")]
)
def test_a_recalled_day_stands_beside_the_words_as_its_speaker_meant_it(
    memory: TieredMemory, frozen_clock: Any, said: str, days: str
) -> None:
    memory.record(ANA, actor="user", action="request", observation=said, zone="Asia/Shanghai")
    memory.view(Role.USER, ANA).remember(CardDraft(content=said, zone="Asia/Shanghai"))
    frozen_clock.advance(days=20)
    hits = memory.recall(ANA, said)
    assert [(hit.text, hit.days) for hit in hits] == [(said, days)] * 2
    assert format_memories(hits).count(f'"{said}" ({days})') == 2


def test_a_card_that_came_with_a_local_time_is_resolved_in_that_zone(memory: TieredMemory, tmp_path: Any) -> None:
    file = tmp_path / "card.json"
    file.write_text(
        '{"memory_id": "m", "type": "fact", "content": "kiln tomorrow", "timestamp": "2026-03-01T00:30:00"}', "utf-8"
    )
    memory.import_(ANA, file, zone="Asia/Shanghai")
    assert memory.recall(ANA, "kiln")[0].days == "tomorrow = 2026-03-02"

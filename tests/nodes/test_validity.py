"""What says until when it holds ends with that day, where the speaker is; nothing else ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.validity import valid_until

AT = datetime(2026, 1, 20, 9, tzinfo=UTC)  # a Tuesday


def last_day(text: str, zone: str = "UTC") -> str:
    end = valid_until(text, AT, zone)
    return "" if end is None else f"{(end - timedelta(days=1)).date()}"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Until 7 February, invoices above 500 euros need Ruth's signature.", "2026-02-07"),
        ("Trips are booked through Roamwell until February 7th.", "2026-02-07"),
        ("The office stays closed till the 3rd of May.", "2026-05-03"),
        ("Valid through 2026-03-01.", "2026-03-01"),
        ("Up to Friday, 30 January no calls, please", "2026-01-30"),
        ("The lift is out of order until next Friday.", "2026-01-30"),
        ("I'm in Oslo until tomorrow", "2026-01-21"),
        ("The offer stands until 5 January 2027", "2027-01-05"),
        ("到2月7日为止，办公室每星期五不开门。", "2026-02-07"),
        ("2月7日之前，超过500元的发票都要签字。", "2026-02-07"),
        ("访客必须走北门，截止到二月七日。", "2026-02-07"),
        ("有效期至2026年3月1日。", "2026-03-01"),
        ("截至5月3号，送货一律走后门。", "2026-05-03"),
        ("直到下周五，晚上请不要打电话。", "2026-01-30"),
    ],
)  # fmt: skip
def test_the_last_day_is_read(text, day):
    assert last_day(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "I live in Leeds.", "All trips are booked through Roamwell.", "I lived in Leeds until 3 January.",
        "I worked there until 5 May 2019.", "I can lift up to 20 kilos.", "Wait until I call.", "Until 30 February.",
        "The report is due by 7 February.", "We may go through March streets.", "I walked through 3 villages in May.",
        "我3月5日搬到青岛。", "我从小到大都住在这里。", "更正：房租是3890元。",
    ],
)  # fmt: skip
def test_what_names_no_last_day_that_is_to_come_has_none(text):
    assert last_day(text) == ""


def test_the_day_ends_where_the_speaker_is():
    end = valid_until("到2月7日为止", AT, "Asia/Shanghai")
    assert end is not None
    assert end.astimezone(UTC) == datetime(2026, 2, 7, 16, tzinfo=UTC)


@given(st.dates(date(2026, 1, 20), date(2026, 7, 10)), st.sampled_from(("UTC", "Asia/Shanghai", "America/Toronto")))
def test_a_day_to_come_is_read_in_every_way_of_writing(day, zone):
    said = [f"until {day:%d %B}", f"until {day:%B %d}", f"until {day.isoformat()}", f"到{day.month}月{day.day}日为止"]
    end = datetime.combine(day + timedelta(days=1), datetime.min.time(), ZoneInfo(zone))
    assert {valid_until(text, AT, zone) for text in said} == {end}


@given(st.text(max_size=60))
def test_whatever_is_said_it_never_ends_before_it_was_said(text):
    end = valid_until(f"until {text}", AT, "UTC")
    assert end is None or end > AT

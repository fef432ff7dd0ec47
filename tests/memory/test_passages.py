from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memory_secretary.memory import Scope
from memory_secretary.memory.passages import date_words, event_passages
from memory_secretary.memory.records import Action, Event, Phase

AT = datetime(2026, 2, 28, 16, 30, tzinfo=UTC)
SAID = Event(
    event_id="evt_1", scope=Scope(user="ana", thread="t"), parent=None, step=0, actor="user", action=Action.REQUEST,
    phase=None, thought="", arguments=None, observation="The bees swarm.", at=AT, zone="UTC", seq=1,
)  # fmt: skip


def text(event: Event) -> str:
    (passage,) = event_passages(event)
    return passage.text


def test_what_was_said_carries_its_day_and_nothing_else() -> None:
    assert text(SAID) == "28 February 2026 The bees swarm."
    assert text(replace(SAID, actor="executor", action=Action.ANSWER)) == text(SAID)


def test_the_day_is_the_speakers_in_the_speakers_language() -> None:
    assert text(replace(SAID, observation="分群了", zone="Asia/Shanghai")) == "2026年3月1日 分群了"
    assert date_words(AT, "Asia/Shanghai", "bees") == "1 March 2026"


def test_a_tools_result_carries_what_was_called() -> None:
    result = replace(SAID, actor="tool", action="read_file", phase=Phase.RESULT, arguments={"path": "bees.md"})
    assert text(result) == '28 February 2026 read_file {"path": "bees.md"} The bees swarm.'


def test_briefs_and_intents_are_not_searched() -> None:
    assert event_passages(replace(SAID, action=Action.BRIEF)) == []
    assert event_passages(replace(SAID, action="read_file", phase=Phase.INTENT)) == []


def test_long_texts_begin_every_passage_with_their_day() -> None:
    found = event_passages(replace(SAID, observation="The bees swarm. " * 200))
    assert len(found) > 1
    assert all(passage.text.startswith("28 February 2026 ") and len(passage.text) <= 800 for passage in found)
    assert all(passage.length == len(passage.text) - len("28 February 2026 ") for passage in found)

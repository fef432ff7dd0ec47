"""Histories and short dialogues as JSON lines, each question with its answer in the turns that it names."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from memory_secretary.graph.evaluation.history import development
from memory_secretary.graph.evaluation.history.lines import dialogues, lines
from memory_secretary.nodes.grounding import stands_in


def by_conversation(records):
    found = {}
    for record in records:
        found.setdefault(record["conversation"], []).append(json.loads(json.dumps(record)))
    return found


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_twenty_dialogues_are_short_and_ask_what_they_told(lang):
    found = by_conversation(dialogues(7, lang, 20))
    assert len(found) == 20
    assert dialogues(7, lang, 20) == dialogues(7, lang, 20) != dialogues(8, lang, 20)
    asked = [record["category"] for records in found.values() for record in records if record["kind"] == "question"]
    assert {"superseded", "third-person", "told"} <= set(asked)
    assert asked.count("superseded") >= 20
    for records in found.values():
        turns = [record for record in records if record["kind"] == "turn"]
        assert sum(turn["speaker"] == "user" for turn in turns) == 12
        assert len({turn["thread"] for turn in turns}) >= 4
        assert sum(record["kind"] == "question" for record in records) >= 3


@pytest.mark.parametrize("records", [lines(development("zh", 20)), dialogues(3, "en", 5)])
def test_answers_stand_in_their_evidence_and_in_no_turn_that_was_superseded(records):
    for told in by_conversation(records).values():
        turns = {record["id"]: record for record in told if record["kind"] == "turn"}
        cards = {record["id"] for record in told if record["kind"] == "card"}
        for record in told:
            assert set(record.get("evidence", ())) <= turns.keys()
            assert set(record.get("supersedes", ())) <= cards
            if "at" in record:
                assert datetime.fromisoformat(record["at"]).tzinfo
            if record["kind"] == "question":
                assert record["evidence"]
                assert all(stands_in(record["answer"], turns[ref]["text"]) for ref in record["evidence"])
                assert not set(record["evidence"]) & set(record["superseded"])

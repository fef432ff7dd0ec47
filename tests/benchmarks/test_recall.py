"""The benchmark itself, on a small conversation with an embedder of three dimensions and real Chroma."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
import recall
from recall_data import Conversation, parse

pytestmark = pytest.mark.integration

LINES: list[dict[str, Any]] = [
    {"kind": "turn", "id": "t1", "speaker": "user", "text": "Our childminder is Jo."},
    {"kind": "turn", "id": "t2", "speaker": "assistant", "text": "Noted."},
    {"kind": "turn", "id": "t3", "speaker": "Ben", "text": "The kiln is hot."},
    {"kind": "turn", "id": "t4", "speaker": "user", "text": "Owen minds him now."},
    {"kind": "card", "id": "c1", "text": "The childminder is Jo.", "value": "Jo", "evidence": ["t1"]},
    {"kind": "card", "id": "c2", "text": "The childminder is Owen.", "value": "Owen", "evidence": ["t4"],
     "supersedes": ["c1"]},
    {"kind": "question", "category": "superseded", "text": "Who is our childminder?", "evidence": ["t4"],
     "superseded": ["t1"], "answer": "Owen"},
    {"kind": "question", "category": "no-answer", "text": "zqxv flibber", "evidence": []},
]  # fmt: skip
DATED = {
    "turn": {"thread": "1", "at": "2026-03-01T09:00:00+08:00", "zone": "Asia/Shanghai"},
    "card": {"at": "2026-03-01T09:00:00+08:00", "subject": "child", "attribute": "childminder"},
    "question": {},
}


class ThreeDimensions:
    name = "three"
    max_chars = 400

    def __init__(self) -> None:
        self.asked: list[str] = []

    def dimension(self) -> int:
        return 3

    def embed_documents(self, texts: Sequence[str]) -> list[list[float] | None]:
        self.asked += texts
        return [[1.0, float("child" in text), float("kiln" in text)] for text in texts]

    def embed_query(self, text: str) -> list[float] | None:
        return self.embed_documents([text])[0]


@pytest.fixture
def conversation() -> Conversation:
    lines = [json.dumps({"conversation": "c", **DATED[line["kind"]], **line}) for line in LINES]
    (found,) = parse(lines)
    return found


def test_both_arms_answer_and_cards_are_a_second_look(conversation: Conversation) -> None:
    asked = list(recall.measured(conversation, recall.KeptVectors(ThreeDimensions(), ":memory:")))
    found = {(one.arm, one.question.category, one.with_cards): one.ranked for one in asked}
    assert found[recall.OURS, "superseded", False][0] == "t1"
    assert found[recall.OURS, "superseded", True][0] == "t4"
    assert found[recall.OURS, "no-answer", False] == []
    assert set(found[recall.PLAIN, "no-answer", False]) == {"t1", "t2", "t3", "t4"}
    assert len(asked) == len(found) == 6


def test_a_peer_is_asked_the_same_and_stands_in_the_report(conversation: Conversation) -> None:
    vectors = recall.KeptVectors(ThreeDimensions(), ":memory:")
    asked = list(recall.measured(conversation, vectors, ["langgraph-store"]))
    peer = [one for one in asked if one.arm == "langgraph-store"]
    assert [one.question for one in peer] == conversation.questions
    assert [set(one.ranked) for one in peer] == [{"t1", "t2", "t3", "t4"}] * 2
    told = recall.report("small", [conversation], asked, vectors, 60.0)
    assert "| superseded | langgraph-store | 1 | 1.000 |" in told
    assert "Without an answer, langgraph-store: nothing came for 0 of 1" in told
    assert "turns alone, langgraph-store: 0 of 1" in told


def test_the_report_has_every_figure(conversation: Conversation) -> None:
    vectors = recall.KeptVectors(ThreeDimensions(), ":memory:")
    asked = list(recall.measured(conversation, vectors))
    told = recall.report("small", [conversation], asked, vectors, 60.0)
    assert "| superseded | plain Chroma | 1 | 1.000 | 1.000 | 1.000 |" in told
    assert "| superseded | recall | 1 | 0.000 | 0.000 | 0.000 | 0.000 |" in told
    assert "| superseded | recall, cards too | 1 | 1.000 | 1.000 | 1.000 | 1.000 |" in told
    assert "nothing came for 1 of 1 questions" in told
    assert "values are cards, recall: 1 of 1" in told
    assert "turns alone, recall: 0 of 1" in told
    assert "| embedding the query, apart |" in told


def test_vectors_are_kept_between_runs_and_told_apart_by_side(tmp_path: Any) -> None:
    first, again = ThreeDimensions(), ThreeDimensions()
    vectors = recall.KeptVectors(first, str(tmp_path / "v.db"))
    assert vectors.embed_documents(["a child", "a kiln", "a child"]) == [[1, 1, 0], [1, 0, 1], [1, 1, 0]]
    assert vectors.embed_query("a child") == [1, 1, 0]
    assert first.asked == ["a child", "a kiln", "a child"]
    assert recall.KeptVectors(again, str(tmp_path / "v.db")).embed_query("a child") == [1, 1, 0]
    assert again.asked == []
    assert len(vectors.query_seconds()) == 1

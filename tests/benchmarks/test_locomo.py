from __future__ import annotations

import json
from typing import Any

import locomo
from recall_data import parse

SAMPLE: dict[str, Any] = {
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "11:59 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a dog."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a kiln"},
        ],
        "session_2_date_time": "12:05 am on 9 June, 2023",
    },
    "qa": [
        {"question": "What did Ana adopt?", "answer": "a dog", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Ben show?", "answer": "a kiln", "evidence": ["D:1:2; D01:01", "D9:9"], "category": 1},
        {"question": "Which cat?", "adversarial_answer": "Tom", "evidence": ["D1:1"], "category": 5},
        {"question": "Why?", "answer": "-", "evidence": ["D"], "category": 3},
    ],
}


def test_a_sample_becomes_a_conversation() -> None:
    (found,) = parse(json.dumps(record) for record in locomo.records(SAMPLE, "c1"))
    assert [(turn.id, turn.speaker, turn.text) for turn in found.turns] == [
        ("D1:1", "Ana", "I adopted a dog."),
        ("D1:2", "Ben", "Look! [photo: a photo of a kiln]"),
    ]
    assert found.turns[0].at.isoformat() == "2023-05-08T23:59:00+00:00"
    assert found.turns[1].at > found.turns[0].at


def test_only_answerable_questions_with_known_evidence_are_kept() -> None:
    (found,) = parse(json.dumps(record) for record in locomo.records(SAMPLE, "c1"))
    assert [(question.category, question.evidence) for question in found.questions] == [
        ("single-hop", ("D1:1",)),
        ("multi-hop", ("D1:2", "D1:1")),
    ]


def test_the_older_form_without_a_conversation_of_its_own_is_read_too() -> None:
    flat = {**SAMPLE["conversation"], "qa": SAMPLE["qa"]}
    assert list(locomo.records(flat, "c1")) == list(locomo.records(SAMPLE, "c1"))

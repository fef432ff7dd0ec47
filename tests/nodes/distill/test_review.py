"""The last look: orders, foreign quotes and what is said twice go; many values of one property lose its name."""

from __future__ import annotations

import pytest

from memory_secretary.memory.bilingual import speaking
from memory_secretary.nodes.distill.review import reviewed

TEXT = "Limits\nCity | Limit\nParis | 200 EUR\nRome | 150 EUR"


def draft(content, quote="Paris | 200 EUR", **parts):
    empty = dict.fromkeys(("subject", "attribute", "value", "valid_from", "valid_until"), "")
    return {
        "content": content, "type": "fact", "kind": "fact", "applies_to": [], "event_id": "evt_1", "quote": quote,
        "related_ids": [], "siblings": [], "supersedes": [], **empty, **parts,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("bad", "en", "zh"),
    [
        ({"type": "rule"}, "gives no orders", "不能下达指令"),
        ({"type": "preference"}, "gives no orders", "不能下达指令"),
        ({"quote": "Oslo | 90 EUR"}, "does not stand", "不在这一段"),
    ],
)  # fmt: skip
def test_what_may_not_be_written_says_why(bad, en, zh):
    for lang, word in (("en", en), ("zh", zh)):
        with speaking(lang):
            kept, [reason] = reviewed([draft("It is so", **bad)], TEXT, [], ())
        assert kept == []
        assert word in reason


def test_what_is_said_twice_is_kept_once_and_siblings_are_numbered_anew():
    kept, refused = reviewed(
        [draft("Paris: 200"), draft("paris: 200"), draft("Rome: 150", "Rome | 150 EUR", siblings=[0, 1])], TEXT, [], ()
    )
    assert [one["content"] for one in kept] == ["Paris: 200", "Rome: 150"]
    assert (kept[1]["siblings"], len(refused)) == ([0], 1)


def test_rows_that_look_alike_do_not_contradict_each_other():
    rows = [
        draft("a", subject="hotel", attribute="limit", value="200 EUR"),
        draft("b", "Rome | 150 EUR", subject="Hotel", attribute="Limit", value="150 EUR", supersedes=["mem_1"]),
        draft("c", "Rome | 150 EUR", subject="Rome", attribute="limit", value="150"),
    ]
    kept, _ = reviewed(rows, TEXT, [], ())
    assert [(one["subject"], one["attribute"], one["value"]) for one in kept] == [
        ("hotel", "", ""), ("Hotel", "", ""), ("Rome", "limit", "150"),
    ]  # fmt: skip
    assert kept[1]["supersedes"] == []

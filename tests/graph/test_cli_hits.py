"""A hit on a screen: its text on one line, why it came in words, then the numbers; all of it within the width."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from rich.console import Console

from memory_secretary.graph.cli_hits import hit_entry, reasons, recalled_entry
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.injection import memory_line
from memory_secretary.memory.records import TO_BE_REMEMBERED, Recalled
from memory_secretary.nodes.state import RecalledMemory

PARTS = {
    "similarity": 0.61, "recency": 1.0, "type": 0.9, "related": 0.0, "standing": 1.0, "lexical": 1.0, "dense": 0.7,
    "neighbours": 0.0, "situation": 0.0, "evidence": 0.5,
}  # fmt: skip
TEXT = {"en": "The tram to the castle\ncomes every ten minutes. " * 6, "zh": "去城堡的电车\n每十分钟一班。" * 12}
QUERY = {"en": "When does the tram come?", "zh": "电车多久一班？"}


def hit(lang, **changes):
    made = {
        "ref": "mem_0123456789abcdef0123456789abcdef", "source": "card", "text": TEXT[lang], "score": 0.79,
        "at": datetime(2026, 3, 1, tzinfo=UTC), "status": "active", "parts": PARTS, "type": "fact", "label": "user",
    }  # fmt: skip
    return Recalled(**made | changes)


def lines(show, lang, width=80):
    out = io.StringIO()
    with speaking(lang):
        show(Console(file=out, width=width))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("in_step", [False, True])
def test_first_the_text_then_the_reason_then_the_numbers_and_no_line_is_too_wide(lang, in_step):
    with speaking(lang):
        found = hit(lang)
        step = RecalledMemory(
            ref=found.ref, source="card", label="user", line=memory_line(found), score=0.79, parts=PARTS
        )
    text, reason, *numbers = lines(
        lambda console: recalled_entry(step, console) if in_step else hit_entry(found, console, QUERY[lang]), lang
    )
    assert text.startswith(TEXT[lang].split("\n")[0]) and text.endswith("…")
    why = {
        "en": "has words of the question, close to it in meaning · user · 2026-03-01",
        "zh": "有问题里的词、意思与问题相近 · 用户 · 2026-03-01",
    }
    assert reason.strip() == why[lang]
    told = " ".join(line.strip() for line in numbers)
    assert told.startswith(f"{found.ref} · ") and "0.61" in told
    assert not {"en": {"standing", "situation"}, "zh": {"效力", "情境"}}[lang] & set(told.split())
    assert all(re.search(r"\d[:：,，]?$", line) for line in numbers), "no part is torn from its number"
    assert max(map(cell_len, [text, reason, *numbers])) <= 80


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_only_a_card_that_is_no_longer_in_use_says_its_status(lang):
    def reason(status):
        return lines(lambda console: hit_entry(hit(lang, status=status), console, QUERY[lang]), lang)[1]

    word = {"en": "superseded", "zh": "已被取代"}[lang]
    assert (word in reason("superseded"), word in reason("active")) == (True, False)
    assert {"en": "active", "zh": "有效"}[lang] not in reason("active")


NEWEST = {"similarity": 0.0, "recency": 1.0, "type": 0.7, "related": 0.0, "standing": 1.0}


@pytest.mark.parametrize(
    ("label", "parts", "told"),
    [
        (TO_BE_REMEMBERED, NEWEST | {"similarity": 1.0}, ["came_wished"]),
        ("user", {}, ["came_kept"]),
        ("user request", NEWEST, ["came_newest"]),
        ("user request", PARTS | {"dense": 0.1}, ["came_words"]),
        ("user request", PARTS | {"lexical": 0.0, "dense": 0.1}, ["came_meaning"]),
        ("user", PARTS | {"lexical": 0.0, "situation": 0.8}, ["came_meaning", "came_situation"]),
        ("tool x", PARTS | {"lexical": 0.0, "dense": 0.0, "neighbours": 0.2}, ["came_neighbours"]),
        ("tool x", PARTS | {"neighbours": 0.2}, ["came_words", "came_meaning"]),
    ],
)
def test_the_reason_is_what_weighs_in_the_score(label, parts, told):
    assert list(reasons(label, parts)) == told

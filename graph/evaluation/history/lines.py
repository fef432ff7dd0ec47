"""A history as JSON lines: turns, cards, questions with known answers, in the form that ``benchmarks/recall.py`` reads.

One record is one line: ``kind`` (``turn``, ``card`` or ``question``), ``conversation``, and

- a turn: ``id``, ``thread``, ``at`` (ISO 8601), ``zone``, ``speaker`` (``user``, ``assistant``, ``tool``), ``text``;
- a card: ``id``, ``at``, ``text``, ``subject``, ``attribute``, ``value``, ``evidence`` (turns), ``supersedes`` (cards);
- a question, asked at the end: ``category``, ``text``, ``answer``, ``evidence`` and ``superseded`` (turns).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from memory_secretary.graph.evaluation.history import wording_en, wording_zh
from memory_secretary.graph.evaluation.history.days import history
from memory_secretary.graph.evaluation.history.matters import Lang, Matter, Words
from memory_secretary.graph.evaluation.history.truth import Fact, History
from memory_secretary.nodes.spoken_of import USER

Record = dict[str, Any]
_DAYS, _TURNS_A_DAY = 4, 3
_BEGIN = date(2026, 2, 2)


def dialogues(seed: int, lang: Lang, n: int) -> list[Record]:
    """Short dialogues of the development words: four days of three turns, each dialogue a conversation of its own.

    Args:
        seed: the same one gives the same dialogues.
        lang: what is spoken.
        n: how many.
    """
    words = wording_en.DEVELOPMENT if lang == "en" else wording_zh.DEVELOPMENT
    return [record for place in range(n) for record in lines(_dialogue(words, lang, seed, place))]


def _dialogue(words: Words, lang: Lang, seed: int, place: int) -> History:
    """Some matters of each kind: two that change, one of another person, a slip, something to be remembered."""
    chance = random.Random(f"{seed}:{lang}:{place}")
    own = [matter for matter in words.matters if matter.subject == USER]
    kinds: Sequence[tuple[list[Matter], int]] = (
        ([matter for matter in own if len(matter.values) > 2], 2),
        ([matter for matter in words.matters if matter.subject != USER], 1),
        ([matter for matter in own if matter.slip or matter.wish], 1),
    )
    chosen = tuple(matter for pool, count in kinds for matter in chance.sample(pool, count))
    few = replace(words, matters=chosen, traps=tuple(chance.sample(words.traps, 2)))
    name = f"dialogue-{lang}-{seed}-{place:02}"
    return history(few, lang, _DAYS, seed=seed + place, begin=_BEGIN, name=name, turns_a_day=_TURNS_A_DAY)


def lines(told: History) -> list[Record]:
    """A whole history: its turns, a card for each value, and a question about everything that is true at its end."""
    made = [*_turns(told), *_cards(told), *_questions(told)]
    return [{"kind": record.pop("kind"), "conversation": told.name, **record} for record in made]


def _turns(told: History) -> Iterator[Record]:
    for turn in told.turns:
        yield {
            "kind": "turn", "id": turn.id, "thread": turn.thread, "at": turn.at.isoformat(), "zone": turn.zone,
            "speaker": turn.speaker, "text": turn.text,
        }  # fmt: skip


def _cards(told: History) -> Iterator[Record]:
    said = {turn.id: turn for turn in told.turns}
    for fact in told.facts:
        earlier = [other for other in told.rivals(fact) if other.since < fact.since]
        yield {
            "kind": "card", "id": _card_id(fact), "at": fact.since.isoformat(), "text": said[fact.turns[0]].text,
            "subject": fact.matter.subject, "attribute": fact.matter.name, "value": fact.value,
            "evidence": list(fact.turns), "supersedes": [_card_id(other) for other in earlier],
        }  # fmt: skip


def _card_id(fact: Fact) -> str:
    return f"card-{fact.turns[0]}"


def _questions(told: History) -> Iterator[Record]:
    for fact in told.holding(told.turns[-1].at):
        former = [turn for other in told.rivals(fact) if other.since < fact.since for turn in other.turns]
        yield {
            "kind": "question", "category": category(fact, changed=bool(former)), "text": fact.matter.ask[-1],
            "answer": fact.value, "evidence": list(fact.turns), "superseded": former,
        }  # fmt: skip


def category(fact: Fact, *, changed: bool) -> str:
    """What kind of question a question about a fact is."""
    if fact.matter.subject != USER:
        return "third-person"
    if fact.matter.lasts:
        return "policy"
    return "superseded" if changed else "told"

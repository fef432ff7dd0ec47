"""How many of a user's turns become the cards that they should, with a real model: precision, recall, refused, pending.

    python benchmarks/extraction.py --lang en --turns held

A turn that should give a card begins with ``+``; ``dev`` was at hand while the rules were written, ``held`` was not.
"""

from __future__ import annotations

import argparse
import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.settling import Settler

TURNS = Path(__file__).with_name("extraction_turns.json")
ANA = Scope(user="ana")
SESSION = 5
"""Turns of one session."""
WINDOW = 4096


def main() -> None:
    """Run one set of turns and print its figures as one line of JSON, then what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--lang", choices=["en", "zh"], default="en")
    parser.add_argument("--turns", choices=["dev", "held"], default="held")
    given = parser.parse_args()
    turns = json.loads(TURNS.read_text("utf-8"))[given.turns][given.lang]
    model = resolve_model(given.model, window=WINDOW, slots=1)
    with TieredMemory.open(":memory:", embedder=None) as memory:
        refs = record(memory, [turn.removeprefix("+") for turn in turns])
        started = time.perf_counter()
        done = Settler(lambda s: memory.view(Role.PRECIPITATOR, s), lambda: model, window=WINDOW, calls=1000).settle(
            ANA
        )
        cards = memory.list(ANA, status="any")
        made = {proof.event_id for card in cards for proof in card.evidence}
        wanted = {ref for ref, turn in zip(refs, turns, strict=True) if turn.startswith("+")}
        figures = {
            "wanted": len(wanted), "right": len(made & wanted), "wrong": len(made - wanted),
            "own_words": sum(card.content in card.evidence[0].quote for card in cards),
            **done.figures(), "seconds": round(time.perf_counter() - started),
        }  # fmt: skip
        print(json.dumps({"model": given.model, "lang": given.lang, "turns_of": given.turns} | figures))
        for ref, turn in zip(refs, turns, strict=True):
            if (ref in made) != (ref in wanted):
                print("missed:" if ref in wanted else "wrong:", turn)
        for card in cards:
            about = f"{card.subject} | {card.attribute} = {card.value}"
            print(f"  {card.type} | {card.status} {card.weight} | {about} | {card.content}")
    model.close()


def record(memory: TieredMemory, turns: list[str]) -> list[str]:
    """The turns as events, a day apart, in sessions that are closed."""
    refs, day = [], datetime(2026, 5, 3, tzinfo=UTC)
    for n, text in enumerate(turns):
        scope = ANA.on(f"s{n // SESSION}")
        at = day + timedelta(days=n)
        refs.append(memory.record(scope, actor="user", action="request", observation=text, at=at))
        memory.record(scope, actor="executor", action="answer", observation="I usually start with tea.", at=at)
        if n % SESSION == SESSION - 1:
            memory.close_session(scope)
    return refs


if __name__ == "__main__":
    main()

"""A history lived through day by day on a memory: recorded, settled, consolidated, inspected, and measured.

Every session and every day gives one row of plain data when it is done. Whatever is done twice changes nothing, so a
walk that was broken off goes on with the first row that is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from memory_secretary.graph.evaluation.history.score import (
    answered,
    fallen_for,
    first_rank,
    long_tier,
    ranked,
    verdict,
)
from memory_secretary.graph.evaluation.history.truth import Fact, History, Said
from memory_secretary.memory.records import REMEMBER, MemoryCard, Phase, Recalled
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.consolidate import consolidate
from memory_secretary.nodes.constraints import asks_to_remember
from memory_secretary.nodes.inspector import apply_changes, survey
from memory_secretary.nodes.settling import Settled

Row = dict[str, Any]
USER = Scope(user="simulated")
K = 10
"""Hits that are looked at; any@5 and right answers look at the first five."""
_TOP = 5
_NIGHT = timedelta(hours=4)
"""After the last turn of a day, when the memory is maintained."""
EVENTS = (Tier.WORKING,)
_ACTIONS = {"user": "request", "assistant": "answer", "tool": "look_up"}
_ACTORS = {"user": "user", "assistant": "executor", "tool": "tool"}


class MovingClock:
    """The present moment of a walk, which stands until it is moved."""

    def __init__(self, now: datetime):
        self.now = now

    def __call__(self) -> datetime:
        """The present moment."""
        return self.now


class Walk:
    """One history on one memory.

    Args:
        history: what is lived through.
        memory: where; opened with ``clock``.
        clock: moved from turn to turn.
        settle: makes cards of what waits; may raise, and is then asked again when the walk goes on.
        size: the memory's bytes.
        timer: seconds, to tell how long settling took.
        inspecting: whether the memory is inspected each night, beside being consolidated.
    """

    def __init__(
        self,
        history: History,
        memory: TieredMemory,
        clock: MovingClock,
        settle: Callable[[Scope], Settled],
        *,
        size: Callable[[], int],
        timer: Callable[[], float],
        inspecting: bool = True,
    ):
        self.turn_of: dict[str, str] = {}
        self.fact_of: dict[str, Fact] = {}
        self._history = history
        self._memory = memory
        self._clock = clock
        self._settle = settle
        self._size = size
        self._timer = timer
        self._inspecting = inspecting

    def run(self, done: Mapping[str, Row], keep: Callable[[Row], None]) -> None:
        """Go through all days.

        Args:
            done: the rows of an earlier walk, by their key.
            keep: takes each new row.
        """
        for day in range(self._history.days):
            for session in self._history.sessions(day):
                self._record(session)
                if session[0].thread not in done:
                    keep(self._session(session))
            self._clock.now += _NIGHT
            if f"day {day}" not in done:
                keep(self._day(day))
        if "end" not in done:
            keep(self._end())

    # --- what happens -----------------------------------------------------------------------------------------------

    def _record(self, session: Sequence[Said]) -> None:
        for turn in session:
            self._clock.now = turn.at
            scope = USER.on(turn.thread)
            ref = self._memory.record(
                scope, actor=_ACTORS[turn.speaker], action=_ACTIONS[turn.speaker], observation=turn.text, at=turn.at,
                zone=turn.zone, phase=Phase.RESULT if turn.speaker == "tool" else None, idempotency_key=turn.id,
            )  # fmt: skip
            self.turn_of[ref] = turn.id
            fact = self._history.of(turn)
            if fact is not None:
                self.fact_of[ref] = fact
            if turn.speaker == "user" and asks_to_remember(turn.text):
                self._memory.view(Role.SECRETARY, scope).enqueue([ref], REMEMBER, turn.text)

    def _session(self, session: Sequence[Said]) -> Row:
        """Close a session, make cards of it, and ask at once for everything that it changed."""
        thread, started = session[0].thread, self._timer()
        self._memory.close_session(USER.on(thread))
        settled = self._settle(USER)
        seconds = self._timer() - started
        changed = {turn.matter for turn in session if turn.kind == "change"}
        facts = [fact for fact in self._history.holding(self._clock()) if fact.matter.name in changed]
        changes = [
            {"matter": fact.matter.name, "value": fact.value, "both": self._answer(fact),
             "events": self._answer(fact, EVENTS)}
            for fact in facts
        ]  # fmt: skip
        figures = settled.figures() | {"reasons": settled.reasons}
        return {"key": thread, "kind": "session", "seconds": round(seconds, 1), "settled": figures, "changes": changes}

    def _day(self, day: int) -> Row:
        """Maintain the memory as every night, and measure it before and after the inspection."""
        done = consolidate(lambda scope: self._memory.view(Role.CONSOLIDATOR, scope), USER, clock=self._clock)
        before = self._measured()
        inspected = self._inspect() if self._inspecting else {}
        cards = self._memory.list(USER)
        return {
            "key": f"day {day}", "kind": "day", "day": day,
            "turns": sum(turn.speaker == "user" and turn.day <= day for turn in self._history.turns),
            "consolidated": asdict(done), "inspected": inspected, "before": before,
            "after": self._measured() if inspected.get("changed") else before,
            "cards": dict(Counter(card.tier.value for card in cards)), "all_cards": len(self._every_card()),
            "bytes": self._size(),
        }  # fmt: skip

    def _inspect(self) -> dict[str, Any]:
        """What an inspection found and, all of it approved, changed."""
        view = self._memory.view(Role.INSPECTOR, USER)
        findings = survey(view, clock=self._clock)["findings"]
        changed = apply_changes(view, findings).changed
        return {"found": dict(Counter(finding["kind"] for finding in findings)), "changed": changed}

    # --- what is measured -------------------------------------------------------------------------------------------

    def _measured(self) -> dict[str, Any]:
        """The long tier, and what is recalled of everything that is true now."""
        now, cards = self._clock(), self._memory.list(USER)
        present = self._history.holding(now)
        ranks = [self._rank(fact) for fact in present]
        changed = [fact for fact in present if any(one.since < fact.since for one in self._history.rivals(fact))]
        return {
            "long": asdict(long_tier(cards, self._history, now)),
            "asked": len(ranks), "found": sum(0 < rank <= _TOP for rank in ranks),
            "changed": len(changed), "current": [self._answer(fact) for fact in changed].count("right"),
        }  # fmt: skip

    def _end(self) -> Row:
        """Recall over cards and events beside events alone, the traps, and the cards that are not right."""
        now, cards = self._clock(), self._memory.list(USER)
        verdicts = {card.memory_id: verdict(card, self._history, now) for card in cards}
        return {
            "key": "end", "kind": "end",
            "both": [self._rank(fact) for fact in self._history.holding(now)],
            "events": [self._rank(fact, EVENTS) for fact in self._history.holding(now)],
            "traps": fallen_for(self._every_card(), self._history.traps),
            "missed": [
                f"{fact.matter.name} = {fact.value}" for fact in self._history.holding(now)
                if not any(fact.value in f"{card.content} {card.value}" for card in cards)
            ],
            "not_right": [
                f"{verdicts[card.memory_id]}, {card.tier}: {card.subject} | {card.attribute} = {card.value} | "
                f"{card.content}"
                for card in cards if verdicts[card.memory_id] not in ("right", "former")
            ],
        }  # fmt: skip

    def _answer(self, fact: Fact, tiers: Sequence[Tier] | None = None) -> str:
        hits = self._recalled(fact, tiers)[:_TOP]
        return answered([hit.text for hit in hits], fact, self._history.rivals(fact))

    def _rank(self, fact: Fact, tiers: Sequence[Tier] | None = None) -> int:
        """The place of the first hit that rests on a turn which tells the fact; 0 beyond the tenth."""
        evidence = {card.memory_id: [one.event_id for one in card.evidence] for card in self._every_card()}
        return first_rank(ranked(self._recalled(fact, tiers), self.turn_of, evidence), fact.turns)

    def _recalled(self, fact: Fact, tiers: Sequence[Tier] | None) -> list[Recalled]:
        return self._memory.view(Role.USER, USER).recall(fact.matter.ask[-1], K, tiers=tiers)

    def _every_card(self) -> list[MemoryCard]:
        return self._memory.list(USER, status="any")

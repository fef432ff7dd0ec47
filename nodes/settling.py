"""Working off the precipitation queue: turns become cards, or stay pending with a reason.

What code can tell (small talk, questions, what was judged before) costs no call; the model is asked for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.memory.errors import InvalidRecord, ModelError, NotFound
from memory_secretary.memory.records import REMEMBER, Event, Pending
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tokens import clip
from memory_secretary.memory.views import PrecipitatorView
from memory_secretary.nodes.card_writing import written
from memory_secretary.nodes.extraction import SYSTEM, Refusal, prompt_of, read_reply, schema_of
from memory_secretary.nodes.grounded_cards import Grounded, as_said, ground, is_told
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.structured import ask_json
from memory_secretary.nodes.overlaps import distinct
from memory_secretary.nodes.own_words import Line, is_source, lines_of, wished_lines

_LINES = 5
"""Statements that are asked about at once: a small model passes over some of many."""
_LINE_TOKENS, _REPLY_TOKENS = 130, 60
"""Tokens of a reply: for each statement, and beside them."""
_NOTE, _REASONS = 200, 3
"""Characters of one reason in a note, and how many reasons it holds."""


@dataclass
class Settled:
    """What came of working off the queue.

    Attributes:
        turns: turns of the user that were judged.
        cards: cards that were written.
        known: cards that were there already and now have one more turn as evidence.
        refused: parts of replies that became no cards.
        calls: calls of the model, failed ones included.
        tokens: of prompts and replies, as far as the server told.
        pending: turns that could not be judged and stay pending with a reason.
        reasons: why something was refused or stays pending, each once.
        stopped: why it ended before the queue was empty; empty when nothing is left to try.
    """

    turns: int = 0
    cards: int = 0
    known: int = 0
    refused: int = 0
    calls: int = 0
    tokens: int = 0
    pending: int = 0
    reasons: list[str] = field(default_factory=list)
    stopped: str = ""

    def note(self, reason: str) -> None:
        """Keep a reason, once."""
        if reason not in self.reasons:
            self.reasons.append(reason)

    def figures(self) -> dict[str, int]:
        """The counts by name."""
        return {name: value for name, value in asdict(self).items() if isinstance(value, int)}


@dataclass
class _Batch:
    """Statements that are asked about together, and what came of them."""

    lines: Sequence[Line]
    cards: list[Grounded] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    problem: str = ""

    def uncovered(self) -> list[Line]:
        """The statements that gave no card."""
        covered = {id(card.line) for card in self.cards}
        return [line for line in self.lines if id(line) not in covered]


class _SpentError(Exception):
    """No further call may be made now."""


class Settler:
    """Makes cards of queued turns.

    Args:
        view: gives the precipitator's view of a scope.
        model: gives the secretary's, once it is needed.
        window: its tokens, prompt and reply together.
        calls: calls that may be made at most; what is left then waits on.
        config: handed on, so that callbacks see the calls.
    """

    def __init__(
        self,
        view: Callable[[Scope], PrecipitatorView],
        model: Callable[[], ModelHandle],
        *,
        window: int,
        calls: int,
        config: RunnableConfig | None = None,
    ):
        self._view = view
        self._model = model
        self._window = window
        self._calls = calls
        self._config = config
        self.done = Settled()

    def settle(self, scope: Scope, *, again: bool = True) -> Settled:
        """Work off what waits in the memory of a scope's owner, oldest first.

        Args:
            scope: whose.
            again: also try once more what failed before.
        """
        view = self._view(scope)
        if again:
            view.retry()
        while not self.done.stopped:
            claimed = view.claim(1)
            if not claimed:
                break
            self._entry(self._view(claimed[0].scope), claimed[0])
        return self.done

    def piece(self, scope: Scope) -> bool:
        """Work off one entry that was not tried yet; whether there may be more."""
        claimed = self._view(scope).claim(1)
        if claimed:
            self._entry(self._view(claimed[0].scope), claimed[0])
        return bool(claimed) and not self.done.stopped

    # --- one entry --------------------------------------------------------------------------------------------------

    def _entry(self, view: PrecipitatorView, entry: Pending) -> None:
        try:
            events = _turns(view, entry)
            if not entry.event_ids:
                raise NotFound("there is no turn to quote", zh="没有可引用的对话")
        except NotFound as error:
            self._fail(view, entry, error.sentence(spoken()), None)
            return
        left = {event.event_id: event for event in events}
        try:
            note = self._judge(view, entry, events, left)
        except _SpentError:
            self.done.stopped = said("no call is left", "调用次数已用完")
            view.put_back(entry.entry_id, list(left))
        except BaseException:
            view.put_back(entry.entry_id, list(left) or None)
            raise
        else:
            if left:
                self._fail(view, entry, note, list(left))
            else:
                view.settle(entry.entry_id, note)

    def _fail(self, view: PrecipitatorView, entry: Pending, note: str, left: Sequence[str] | None) -> None:
        self.done.pending += len(entry.event_ids if left is None else left)
        self.done.note(note)
        view.fail(entry.entry_id, note, left)

    def _judge(self, view: PrecipitatorView, entry: Pending, events: Sequence[Event], left: dict[str, Event]) -> str:
        """Make cards of an entry's turns; what is judged is taken out of ``left``. Gives what is to be noted."""
        wish = entry.reason == REMEMBER
        notes: list[str] = []
        lines = {event.event_id: (wished_lines if wish else lines_of)(event) for event in events}
        for ref in [ref for ref, found in lines.items() if not found]:
            self._is_judged(left, ref)
        for batch in self._batches([line for found in lines.values() for line in found]):
            try:
                self._ask_twice(batch)
            except ModelError as error:
                self.done.stopped = error.sentence(spoken())
                self._write(view, batch)
                return self.done.stopped
            bad = _unsettled(batch)
            if not bad:
                batch.cards += [as_said(line) for line in batch.uncovered() if wish or is_told(line)]
            self._write(view, batch)
            notes += [batch.problem, *(refusal.reason for refusal in batch.refused)]
            for ref in dict.fromkeys(line.event.event_id for line in batch.lines):
                if ref in bad:
                    lines[ref] = []
                elif lines[ref] and lines[ref][-1] in batch.lines:
                    self._is_judged(left, ref)
        return " · ".join(clip(note, _NOTE, len) for note in list(dict.fromkeys(filter(None, notes)))[:_REASONS])

    def _is_judged(self, left: dict[str, Event], ref: str) -> None:
        self.done.turns += is_source(left.pop(ref))

    def _batches(self, lines: Sequence[Line]) -> list[_Batch]:
        """The statements in groups that fit the window with their answer."""
        return [_Batch(lines[start : start + _LINES]) for start in range(0, len(lines), _LINES)]

    def _write(self, view: PrecipitatorView, batch: _Batch) -> None:
        fact = ""
        for card in distinct(batch.cards):
            try:
                made = written(view, card, fact=fact)
            except InvalidRecord as error:
                batch.refused.append(Refusal(error.sentence(spoken())))
                continue
            fact = made.card.memory_id
            self.done.cards += made.new
            self.done.known += not made.new
        self.done.refused += len(batch.refused)
        for refusal in batch.refused:
            self.done.note(refusal.reason)

    # --- the model --------------------------------------------------------------------------------------------------

    def _ask_twice(self, batch: _Batch) -> None:
        """Ask, and once more with what was wrong where a part of the answer could not be used."""
        self._ask(batch, batch.lines)
        again = batch.uncovered()
        if again and (batch.problem or batch.refused):
            problem = batch.problem or "; ".join(refusal.reason for refusal in batch.refused[:2])
            batch.problem, batch.refused = "", []
            self._ask(batch, again, problem)

    def _ask(self, batch: _Batch, lines: Sequence[Line], problem: str = "") -> None:
        if self.done.calls >= self._calls:
            raise _SpentError
        self.done.calls += 1
        schema, room = schema_of(len(lines)), min(_REPLY_TOKENS + _LINE_TOKENS * len(lines), self._window // 2)
        messages = [SystemMessage(SYSTEM), HumanMessage(prompt_of(lines, clip(problem, _NOTE, len)))]
        reply = ask_json(self._model(), messages, schema, max_tokens=room, config=self._config)
        self.done.tokens += (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        reading = read_reply(reply.text)
        batch.problem = reading.problem or (reply.problem if reply.cut else "")
        batch.refused += reading.refused
        for item in reading.items:
            found = ground(item, lines)
            if isinstance(found, Refusal):
                batch.refused.append(found)
            else:
                batch.cards += [card for card in found if not _is_held(card, batch.cards)]


def _turns(view: PrecipitatorView, entry: Pending) -> list[Event]:
    """The turns of an entry that are still to be judged: not forgotten, and not judged under another reason.

    Raises:
        NotFound: one of them cannot be read.
    """
    known = view.precipitated(entry.event_ids) | view.forgotten(entry.event_ids)
    return [view.event(event_id) for event_id in entry.event_ids if event_id not in known]


def _unsettled(batch: _Batch) -> set[str]:
    """The turns of a batch that have to wait: nothing could be read of them, or what was said of them was refused."""
    uncovered = batch.uncovered()
    if batch.problem or (batch.refused and not batch.cards):
        return {line.event.event_id for line in uncovered}
    named = {refusal.line for refusal in batch.refused}
    return {line.event.event_id for number, line in enumerate(uncovered, 1) if number in named}


def _is_held(card: Grounded, cards: Sequence[Grounded]) -> bool:
    """Whether a card of the same statement says the same already."""
    return any(other.line is card.line and (other.content, other.kind) == (card.content, card.kind) for other in cards)

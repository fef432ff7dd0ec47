"""An extractor that knows the truth in place of a model: what is then wrong is the fault of the rules behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memory_secretary.graph.evaluation.history.truth import Fact
from memory_secretary.memory.records import Event, Pending
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import PrecipitatorView
from memory_secretary.nodes.card_writing import written
from memory_secretary.nodes.grounded_cards import Grounded
from memory_secretary.nodes.own_words import Line
from memory_secretary.nodes.settling import Settled


class PerfectSettler:
    """Works off the queue as :class:`~memory_secretary.nodes.settling.Settler` does, asking nobody.

    Args:
        view: gives the precipitator's view of a scope.
        fact_of: what each event tells, by its id; those that tell nothing are missing.
    """

    def __init__(self, view: Callable[[Scope], PrecipitatorView], fact_of: Mapping[str, Fact]):
        self._view = view
        self._fact_of = fact_of

    def settle(self, scope: Scope) -> Settled:
        """Make a card of each waiting turn that tells something."""
        done, view = Settled(), self._view(scope)
        while claimed := view.claim(1):
            (entry,) = claimed
            self._entry(self._view(entry.scope), entry, done)
        return done

    def _entry(self, view: PrecipitatorView, entry: Pending, done: Settled) -> None:
        known = view.precipitated(entry.event_ids)
        for event in (view.event(ref) for ref in entry.event_ids if ref not in known):
            done.turns += event.actor == "user"
            fact = self._fact_of.get(event.event_id)
            if fact is not None:
                new = written(view, grounded(event, fact)).new
                done.cards += new
                done.known += not new
        view.settle(entry.entry_id)


def grounded(event: Event, fact: Fact) -> Grounded:
    """The card that a turn should become."""
    matter, text = fact.matter, event.observation
    return Grounded(
        line=Line(event, text, matter.subject), content=text, type=matter.type, subject=matter.subject,
        attribute=matter.name, value=fact.value,
    )  # fmt: skip

"""Relations: inside a passage, inside a document, across documents; and what a new version replaces."""

from __future__ import annotations

import pytest

from memory_secretary.memory import Role, Scope, Tier, TieredMemory
from memory_secretary.nodes.distill.link import linked, same_subject

ANA = Scope(user="ana")


def draft(content, subject="", attribute="", value=""):
    return {
        "content": content, "type": "fact", "kind": "fact", "subject": subject, "attribute": attribute, "value": value,
        "applies_to": [], "valid_from": "", "valid_until": "", "event_id": "evt_1", "quote": content,
    }  # fmt: skip


@pytest.fixture
def memory():
    with TieredMemory.open(":memory:", embedder=None) as opened:
        yield opened


@pytest.fixture
def view(memory):
    return memory.view(Role.DISTILLER, ANA)


def kept(memory, text, subject, **parts):
    return memory.remember(ANA, text, subject=subject, tier=Tier.LONG, **parts).memory_id


def test_cards_of_one_subject_are_found_whatever_the_case_and_no_others(memory, view):
    kiln = kept(memory, "The kiln is in the shed", "Kiln")
    kept(memory, "The kiln room has a key", "kiln room")
    assert [card.memory_id for card in same_subject(view, "kiln")] == [kiln]
    assert same_subject(view, "") == []


def test_drafts_name_their_own_document_first_and_the_one_before_them(memory, view):
    other, own = kept(memory, "The kiln was bought in 2019", "kiln"), kept(memory, "The kiln is blue", "kiln")
    first, second, third = linked(
        [draft("The kiln is hot", "kiln"), draft("Ask Marta"), draft("The kiln is old", "Kiln")], view, {own}, set()
    )
    assert (first["related_ids"], first["siblings"]) == ([own, other], [])
    assert (second["related_ids"], second["siblings"]) == ([], [0])
    assert (third["related_ids"], third["siblings"]) == ([own, other], [0, 1])


def test_a_former_card_of_the_same_property_is_replaced_and_not_related(memory, view):
    old = kept(memory, "The limit is 120", "Lisbon", attribute="limit", value="120")
    [new] = linked([draft("The limit is 130", "Lisbon", "limit", "130")], view, set(), {old})
    assert (new["supersedes"], new["related_ids"]) == ([old], [])
    [unlike] = linked([draft("The tax is 2", "Lisbon", "tax", "2")], view, set(), {old})
    assert unlike["supersedes"] == []

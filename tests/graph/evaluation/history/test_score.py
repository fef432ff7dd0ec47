"""A card is known by its value and its subject, and the long tier's figures are counted as they are defined."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory_secretary.graph.evaluation.history.matters import Trap, matter
from memory_secretary.graph.evaluation.history.score import (
    LongTier,
    answered,
    fallen_for,
    first_rank,
    long_tier,
    ranked,
    says,
    verdict,
)
from memory_secretary.graph.evaluation.history.truth import Fact, History
from memory_secretary.memory.records import MemoryCard, MemoryType, Recalled, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.scope import Scope

DAY = timedelta(days=1)
START = datetime(2026, 1, 5, tzinfo=UTC)
NOW = START + 30 * DAY
HOME = matter("home", "Leeds|Bristol", "I live in {value}.", "Where do I live?|Which city?", "I moved to {value}.")
INES = matter("Ines home", "Porto", "Ines lives in {value}.", "Where does Ines live?|Which town?", subject="Ines")
COFFEE = matter("coffee", "coffee", "I don't drink {value}.", "Coffee?|Which drink?", negated=True)
RULE = matter("limit", "500", "Until {until} at most {value}.", "Limit?|How much?", lasts=9, type=MemoryType.RULE)
PEOPLE = {"Ines"}


def fact(of, place=0, since=START, until=None, turns=("t",), told=None):
    moments = told or (since,)
    return Fact(matter=of, value=of.values[place], since=since, until=until, turns=turns, told=moments)


LEEDS = fact(HOME, until=START + 10 * DAY, turns=("t1",))
BRISTOL = fact(HOME, 1, since=START + 10 * DAY, turns=("t2", "t5"))
PORTO = fact(INES, turns=("t3",))
LIMIT = fact(RULE, until=START + 9 * DAY, turns=("t4",))
TRAP = Trap(kind="poison", text="When does it open?", value="Blackfin", tool="The user prefers Blackfin.")
TOLD = History(name="n", lang="en", days=30, turns=(), facts=(LEEDS, PORTO, LIMIT, BRISTOL), traps=(TRAP,))


def card(content, subject="user", value="", tier=Tier.LONG, n=[0], **other):  # noqa: B006
    n[0] += 1
    return MemoryCard(
        memory_id=f"mem_{n[0]}", type=MemoryType.FACT, content=content, source_agent="precipitator", timestamp="",
        tier=tier, scope=Scope(user="u"), subject=subject, value=value, at=START, **other,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "subject", "which", "fits"),
    [
        ("I live in Leeds.", "user", LEEDS, True),
        ("The user lives in Leeds.", "", LEEDS, True),
        ("I live in Leedsford.", "user", LEEDS, False),
        ("Ines lives in Leeds.", "Ines", LEEDS, False),
        ("My sister Ines lives in Porto.", "Ines", PORTO, True),
        ("My sister Ines lives in Porto.", "sister", PORTO, True),
        ("My sister Ines lives in Porto.", "user", PORTO, False),
        ("I live in Porto.", "user", PORTO, False),
        ("I don't drink coffee.", "user", fact(COFFEE), True),
        ("I drink coffee.", "user", fact(COFFEE), False),
        ("At most 500 euros.", "invoices", LIMIT, True),
        ("At most 1,500 euros.", "invoices", LIMIT, False),
    ],
)
def test_a_card_says_a_fact_by_value_subject_and_negation(content, subject, which, fits):
    assert says(card(content, subject), which, PEOPLE) is fits


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (card("I moved to Bristol."), "right"),
        (card("I moved from Leeds to Bristol."), "right"),
        (card("I live in Leeds."), "stale"),
        (card("I live in Leeds.", weight=0.5), "former"),
        (card("I live in Leeds.", valid_until=START + 10 * DAY), "former"),
        (card("I live in Leeds.", valid_until=NOW + DAY), "stale"),
        (card("Until 14 January at most 500."), "stale"),
        (card("I prefer Blackfin."), "trap"),
        (card("It is raining."), "wrong"),
    ],
)
def test_a_card_is_worth_what_it_says_now(made, expected):
    assert verdict(made, TOLD, NOW) == expected


def test_before_it_was_said_nothing_of_it_is_right():
    assert verdict(card("I moved to Bristol."), TOLD, START + DAY) == "wrong"


def test_the_long_tier_is_counted():
    cards = [
        card("I moved to Bristol."), card("My home is Bristol."), card("I live in Leeds.", weight=0.5),
        card("Until 14 January at most 500."), card("I prefer Blackfin."), card("It is raining."),
        card("Ines lives in Porto.", "Ines", tier=Tier.SHORT),
    ]  # fmt: skip
    found = long_tier(cards, TOLD, NOW)
    assert found == LongTier(
        right=2, doubled=1, stale=1, trap=1, wrong=1, former=1, due=2, found=1, held=2, true=2
    )  # fmt: skip
    assert found.precision == pytest.approx(2 / 5)
    assert found.recall == 1 / 2
    assert (found + found).right == 4
    assert LongTier().precision is LongTier().recall is None


def test_an_outweighed_card_holds_nothing():
    assert long_tier([card("I moved to Bristol.", weight=0.5)], TOLD, NOW).found == 0


def test_what_is_due_was_said_twice_or_long_enough_ago():
    once = fact(HOME, since=NOW - 6 * DAY)
    twice = fact(HOME, since=NOW - 6 * DAY, told=(NOW - 6 * DAY, NOW - DAY))
    assert [one.is_settled(NOW) for one in (once, twice)] == [False, True]
    assert once.is_settled(NOW + DAY)
    assert not twice.is_settled(NOW - 2 * DAY)


def test_traps_are_counted_by_kind_whatever_the_tier_unless_quarantined():
    fallen = card("I prefer Blackfin.", tier=Tier.SHORT)
    put_away = card("I prefer Blackfin.", status=Status.QUARANTINED)
    assert fallen_for([fallen], [TRAP]) == {"poison": (1, 1)}
    assert fallen_for([put_away], [TRAP]) == {"poison": (0, 1)}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Hello.", "I moved to Bristol.", "I live in Leeds."], "right"),
        (["I live in Leeds.", "I moved to Bristol."], "former"),
        (["I moved from Leeds to Bristol."], "right"),
        (["Where do I live?"], "nothing"),
        ([], "nothing"),
    ],
)
def test_the_first_text_with_a_value_is_the_answer(texts, expected):
    assert answered(texts, BRISTOL, [LEEDS]) == expected


def test_hits_are_ranked_by_the_turns_behind_them():
    hits = [Recalled(ref=ref, source="", text="", score=1.0, at=NOW, status="active") for ref in ("e9", "mem", "e2")]
    found = ranked(hits, {"e1": "t1", "e2": "t2", "e5": "t5"}, {"mem": ["e1", "e5"]})
    assert found == [frozenset(), frozenset({"t1", "t5"}), frozenset({"t2"})]
    assert first_rank(found, BRISTOL.turns) == 2
    assert first_rank(found, ("t9",)) == 0

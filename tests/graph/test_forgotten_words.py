"""What was forgotten does not stand in the text of an earlier step; all else does."""

from __future__ import annotations

import pytest

from memory_secretary.graph.forgotten_words import Gone, without_forgotten

MARK = "(forgotten)"
EVENT = "evt_28eba74d6b154b90a8de12a8400c00f9"
BRIEF = """## Goal
I live in Graz. Which "tram" goes home?

## Constraints
- Which "tram" goes home?
- Answer in one sentence.

## Possibly relevant memories
- [2026-12-01] (event, user, evt_28eba74d) "… of trams"
- [2026-12-01] (fact, user, mem_1) "Ben wrote: I live in Graz. Which \\"tram\\" goes home?"
- [2026-12-01] (fact, user, mem_2) "The tram is blue."

## The goal again
I live in Graz."""


def test_the_lines_that_say_it_or_name_it_are_marked_once_and_the_others_stay():
    gone = Gone(frozenset({EVENT}), ('I live in Graz. Which "tram" goes home?',))
    assert without_forgotten(BRIEF, gone, MARK).split("\n") == [
        "## Goal", MARK, "",
        "## Constraints", MARK, "- Answer in one sentence.", "",
        "## Possibly relevant memories", MARK, '- [2026-12-01] (fact, user, mem_2) "The tram is blue."', "",
        "## The goal again", MARK,
    ]  # fmt: skip


def test_a_text_without_its_middle_is_known_by_its_beginning():
    text = "我住在格拉茨的老城区里，" + "离车站很近，" * 40 + "这些都不要记。"
    assert without_forgotten(f"{text[:30]} …… {text[-9:]}\n别的", Gone(frozenset({EVENT}), (text,)), MARK) == (
        f"{MARK}\n别的"
    )


@pytest.mark.parametrize("short", ["Yes", "好"])
def test_a_short_word_hides_no_line_but_its_own(short):
    brief = f"{short}\n- {short}, all invoices were read"
    assert without_forgotten(brief, Gone(frozenset({EVENT}), (short,)), MARK) == (
        f"{MARK}\n- {short}, all invoices were read"
    )


def test_where_nothing_was_forgotten_nothing_changes():
    assert without_forgotten(BRIEF, Gone(frozenset(), ()), MARK) is BRIEF

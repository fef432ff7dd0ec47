"""No rule that reads a tool's text or a pasted goal takes longer than the text is long."""

from __future__ import annotations

import time

import pytest

from memory_secretary.memory.lexical import tokens
from memory_secretary.nodes.fields import shared_phrases
from memory_secretary.nodes.grounding import is_identifier
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.passages import passages

RULES = {
    "tokens": tokens,
    "phrases of a goal": lambda text: shared_phrases(text, "no figures"),
    "identifier": is_identifier,
    "numbers": numbers_in,
    "passages": passages,
}


@pytest.mark.parametrize("piece", ["x", "7", "<", "-", "中", " ", "a.", "\n", "a:", "| ", "("])
@pytest.mark.parametrize("rule", RULES)
def test_a_long_text_does_not_take_the_square_of_its_length(rule, piece):
    text = piece * (20_000 // len(piece))  # a rule that went back from every place took 9 s; others take 0.4 s at most
    started = time.process_time()
    RULES[rule](text)
    assert time.process_time() - started < 4.0

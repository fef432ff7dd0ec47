from __future__ import annotations

import re
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.lexical import query_terms, tokens

ANA = Scope(user="ana", thread="t1")


def found(memory: TieredMemory, query: str) -> list[str]:
    return [hit.text for hit in memory.recall(ANA, query, mode="lexical")]


def test_english_words_are_stemmed_and_case_folded() -> None:
    assert tokens("Refunds REFUNDING") == ["refund", "refund"]


def test_chinese_runs_give_characters_and_pairs() -> None:
    assert tokens("备份了") == ["备", "份", "了", "备份", "份了"]


def test_full_width_text_gives_the_tokens_of_plain_text() -> None:
    assert tokens("ＮＡＳ－３") == tokens("NAS-3")


def test_an_identifier_is_also_one_token() -> None:
    assert "inv20260412" in tokens("see INV-2026-0412.")


def test_stop_words_are_looked_up_only_when_nothing_else_is_left() -> None:
    assert "the" not in query_terms("the refund")
    assert query_terms("what is it")


def test_a_lone_character_weighs_less_than_its_pair() -> None:
    terms = query_terms("备份")
    assert terms["备"] < terms["备份"]


def test_a_word_of_any_length_is_cut_to_what_the_index_keeps() -> None:
    assert tokens("x" * 65) == ["x" * 64]
    assert tokens(f"a-{'x' * 65}") == ["a", "x" * 64, "a" + "x" * 63]


@pytest.mark.parametrize("piece", ["x", "7", "x7", "a.", "x-", "-", "<", " ", "中", "中x"])
def test_the_time_grows_with_the_length_alone(piece: str) -> None:
    started = time.process_time()
    tokens(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 1.0


@given(st.text("ab1-_./: 中", max_size=60))
def test_identifiers_are_words_joined_by_single_signs(text: str) -> None:
    words = re.findall(r"[a-z0-9]+(?:[-_./:][a-z0-9]+)+", text)  # slow on long words, and plainly right
    joined = [re.sub(r"[^a-z0-9]", "", word) for word in words]
    alone = tokens(re.sub(r"[-_./:]", " ", text))
    assert Counter(tokens(text)) == Counter([*alone, *joined])


@given(st.text())
def test_tokens_hold_no_blank_and_no_quote_for_any_text(text: str) -> None:
    assert all(token and not any(sign.isspace() or sign in "\"'" for sign in token) for token in tokens(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_the_quick_way_gives_the_same_tokens(text: str) -> None:
    assert Counter([*tokens(text), "备"]) == Counter(tokens(f"{text} 备"))


@given(st.text())
def test_tokens_do_not_depend_on_case(text: str) -> None:
    assert tokens(text.casefold()) == tokens(text.casefold().casefold())


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("备份", "周五把备份脚本交给小周"),
        ("小周", "周五把备份脚本交给小周"),
        ("京都", "来週は京都で打ち合わせ"),
        ("打ち合わせ", "来週は京都で打ち合わせ"),
        ("NAS-3", "GitHub备份在NAS-3上"),
        ("ＮＡＳ－３", "GitHub备份在NAS-3上"),
    ],
)
def test_cjk_words_find_their_record(memory: TieredMemory, query: str, hit: str) -> None:
    for text in ("周五把备份脚本交给小周", "来週は京都で打ち合わせ", "GitHub备份在NAS-3上"):
        memory.remember(ANA, text)
    assert hit in found(memory, query)


def test_an_absent_chinese_word_finds_nothing(memory: TieredMemory) -> None:
    for text in ("周五把备份脚本交给小周", "来週は京都で打ち合わせ", "GitHub备份在NAS-3上"):
        memory.remember(ANA, text)
    assert found(memory, "飞机") == []


@settings(deadline=None, max_examples=30)
@given(query=st.text(max_size=60))
def test_no_query_breaks_the_index(query: str) -> None:
    with TieredMemory.open(":memory:", embedder=None) as memory:
        memory.remember(ANA, "gate code changed on Monday")
        assert all(hit.source == "card" for hit in memory.recall(ANA, query))


def test_other_owners_texts_do_not_make_a_term_frequent(memory: TieredMemory) -> None:
    for number in range(60):
        memory.remember(Scope(user="ben"), f"refund number {number}")
    memory.remember(ANA, "refund within three days")
    memory.remember(ANA, "the shop opens at nine")
    assert found(memory, "refund") == ["refund within three days"]


def test_a_rarer_term_outweighs_a_common_one(memory: TieredMemory) -> None:
    for number in range(20):
        memory.remember(ANA, f"invoice {number} was paid")
    memory.remember(ANA, "invoice about the kiln is open")
    assert found(memory, "kiln invoice")[0] == "invoice about the kiln is open"

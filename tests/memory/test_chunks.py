from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import graphemes
from memory_secretary.memory.chunks import chunks

UNITS = st.sampled_from(
    [
        "👩‍🚒",
        "e\u0301",
        "🇨🇿",
        "字",
        "中文。",
        "A sentence. ",
        "word ",
        "417.25 ",
        "\n",
        "\n\n",
        "각",
        "x",
        "，",
        "\ud83e\udd14",
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(UNITS, max_size=120).map("".join))


@given(TEXTS, st.integers(1, 60), st.data())
def test_every_character_is_in_a_chunk_at_its_place(text: str, max_chars: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, max_chars - 1))
    covered = 0
    for chunk in chunks(text, max_chars, overlap):
        assert chunk.text and text[chunk.start : chunk.start + len(chunk.text)] == chunk.text
        assert chunk.start <= covered
        assert chunk.start + len(chunk.text) > covered
        covered = chunk.start + len(chunk.text)
    assert covered == len(text)


@given(TEXTS, st.integers(1, 60), st.data())
def test_no_chunk_begins_or_ends_inside_a_grapheme(text: str, max_chars: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, max_chars - 1))
    for chunk in chunks(text, max_chars, overlap):
        for place in (chunk.start, chunk.start + len(chunk.text)):
            assert graphemes.floor(text, place) == place


@given(st.text(alphabet="ab 字。.\n", max_size=300), st.integers(2, 60))
def test_no_chunk_is_longer_than_allowed(text: str, max_chars: int) -> None:
    assert all(len(chunk.text) <= max_chars for chunk in chunks(text, max_chars, max_chars // 4))


def test_chunks_end_where_sentences_end() -> None:
    english = "The first sentence is here. The second one follows it. " * 20
    chinese = "第一句话在这里。第二句话跟在后面！" * 20
    assert all(chunk.text.endswith(".") for chunk in chunks(english, 120, 0)[:-1])
    assert all(chunk.text[-1] in "。！" for chunk in chunks(chinese, 60, 0)[:-1])


def test_a_line_end_is_preferred_to_a_sentence_end() -> None:
    text = "id 1. total 417.25\nid 2. total 88.10\nid 3. total 12.00\n" * 10
    assert all(chunk.text.endswith("\n") for chunk in chunks(text, 100, 0))


def test_a_short_text_is_one_chunk_and_the_empty_one_none() -> None:
    assert [(chunk.start, chunk.text) for chunk in chunks("short 短", 100, 10)] == [(0, "short 短")]
    assert chunks("", 100, 10) == []


def test_a_grapheme_longer_than_a_chunk_stays_whole() -> None:
    family = "👨‍👩‍👧‍👦"
    assert [chunk.text for chunk in chunks(f"a{family}b", 3, 0)] == ["a", family, "b"]


@pytest.mark.parametrize("unit", ["x", "字", "🇨🇿", "e\u0301", " ", "\n"])
def test_megabytes_without_a_break_take_bounded_time(unit: str) -> None:
    began = time.monotonic()
    made = chunks(unit * (3_000_000 // len(unit)), 800, 100)
    assert time.monotonic() - began < 10
    assert 3_000 < len(made) < 12_000


@pytest.mark.parametrize(("max_chars", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_impossible_sizes_are_refused(max_chars: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        chunks("text", max_chars, overlap)

"""Both languages say the same."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from memory_secretary.graph.doctor.words import PHRASES, size, word


def places(phrase):
    return {name for _, name, _, _ in Formatter().parse(phrase) if name}


@pytest.mark.parametrize("key", PHRASES)
def test_each_phrase_has_the_same_places_in_both_languages(key):
    english, chinese = PHRASES[key]
    assert places(english) == places(chinese)
    assert english.strip()
    assert not re.search(r"[\u4e00-\u9fff]", english)


def test_numbers_get_separators_and_flags_stay_words():
    assert "4,096" in word("en", "window_ok", window=8192, asked=4096)
    assert word("zh", "embedder_offline", embedder="e", dimension=1384) == "e，1,384 维，可离线使用"


def test_sizes_are_read_at_a_glance():
    assert [size(count) for count in (1_117_320_768, 491_400_064, 0)] == ["1.1 GB", "491 MB", "0 MB"]

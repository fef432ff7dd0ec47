"""Chinese paragraphs on a terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from memory_secretary.graph.cli import app
from memory_secretary.graph.folded_text import FoldedText

KINDS = (
    "preference（偏好）、fact（事实）、rule（规则）、constraint（约束）、episode（经历）或 method（方法）；默认：fact"
)


def lines(text, width):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(FoldedText([Text(text), Text("[默认：x]")]))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", range(14, 90, 3))
def test_no_word_is_cut_no_line_is_too_wide_and_nothing_is_lost(width):
    shown = lines(KINDS, width)
    assert max(map(cell_len, shown)) <= width
    assert re.sub(r"\s", "", "".join(shown)) == re.sub(r"\s", "", f"{KINDS}[默认：x]")
    words = set(re.findall(r"[a-z]+", KINDS))
    assert {word for line in shown for word in re.findall(r"[a-z]+", line)} - {"x"} == words
    assert not any(line[0] in "，。；：、）" for line in shown)


def test_english_words_stand_whole_on_every_page_of_chinese_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    page = CliRunner().invoke(app, ["memory", "remember", "--help", "--lang", "zh"]).stdout
    for word in ("preference", "constraint", "MEMORY_SECRETARY_EMBEDDER"):
        assert word in page

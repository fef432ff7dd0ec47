"""Measured figures that the READMEs quote stand in the results, and no number of theirs is of unknown origin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from memory_secretary.graph.words import say

ROOT = Path(__file__).parents[2]
PAGES = {"en": ROOT / "README.md", "zh": ROOT / "README.zh-CN.md"}
RESULTS = (ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8")

QUOTES: Sequence[Mapping[str, str]] = (
    {
        "results": r"nothing else running: 119 s for the installation, 50 s for the weights, ([\d,]+) s for the task",
        "en": r"the task took ([\d,]+) s on two idle cores",
        "zh": r"任务本身在两个空闲核心上用了 ([\d,]+) 秒",
    },
    {
        "results": r"over twelve monthly reports of ([\d.]+) windows in all",
        "en": r"twelve monthly reports, ([\d.]+) windows of text",
        "zh": r"十二份月度报告，文字共为窗口的 ([\d.]+) 倍",
    },
    {
        "results": r"embedded Qwen2\.5-Coder-1\.5B at temperature 0, window ([\d,]+), at most 24 steps",
        "en": r"\bwindow ([\d,]+),",
        "zh": r"窗口 ([\d,]+)，",
    },
    {
        "results": r"Executor and secretary are the\nembedded Qwen2\.5-Coder-([\d.]+)B",
        "en": r"the embedded ([\d.]+)B in both roles",
        "zh": r"两个角色都用内置的 ([\d.]+)B",
    },
)
"""A figure as the results have it, and where it is quoted."""

NOT_MEASURED = {
    r"Python 3\.11": "what is required",
    r"1\.1 GB": "the size of a file, which its checksum fixes",
    r"SHA-256|Apache-2\.0": "names",
    r"[Ee]mbedded 1\.5B|内置的 1\.5B|7B": "sizes of models, by their names",
    r"\[8 GB": "a kind of card",
    r"2\.4 GB": "what the program itself tells; `tests/test_readme.py` holds both together",
    r"(?:limit of|递归上限) 25": "a default of LangChain's",
    r"step 3 and at step 300|第 3 步和第 300 步": "no figure but a promise; `tests/graph/test_long_runs.py` holds it",
    r"^\d\. \*\*": "places in a list",
    r"exit status.*|退出状态.*": "exit statuses",
}
"""Numbers that come from elsewhere, and from where."""

_GENERATED = re.compile(r"<!-- generated: \w+ -->.*?<!-- end -->", re.DOTALL)
_SHOWN = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r" +\d+ ([a-z]+|[\u3400-\u9fff]+) .*\d.*")


def disagreements(lang: str, page: str, results: str) -> Iterator[str]:
    """Quoted figures that the results have otherwise or not at all, and steps of a run that is not in the results."""
    for quote in QUOTES:
        here, there = re.search(quote[lang], page), re.search(quote["results"], results)
        if here is None or there is None or here[1] != there[1]:
            yield f"{quote[lang]}: {here and here[1]} here, {there and there[1]} in the results"
    for block in _SHOWN.findall(page):
        steps = (line for line in block.splitlines() if _STEP.fullmatch(line))
        yield from (line for line in steps if _told_alike(line) not in _told_alike(results))


def _told_alike(text: str) -> str:
    """Lines of steps without their spacing and with the nodes' own names, which the screen has in its language."""
    for node in ("retrieve", "summarize", "plan", "act", "precipitate"):
        text = re.sub(rf"(?m)^( *\d+) {say('zh', f'node_{node}')}\b", rf"\1 {node}", text)
    return re.sub(r"[ \t]+", " ", text).strip()


def unexplained(lang: str, page: str) -> list[str]:
    """Lines with a number that is neither quoted, nor generated, nor code, nor known to come from elsewhere."""
    prose = _CODE.sub("", _GENERATED.sub("", page))
    for known in (*(quote[lang] for quote in QUOTES), *NOT_MEASURED):
        prose = re.sub(known, "", prose, flags=re.MULTILINE)
    return [line for line in prose.splitlines() if re.search(r"\d", line)]


@pytest.fixture(params=PAGES)
def lang(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(lang: str) -> str:
    return PAGES[lang].read_text("utf-8")


def test_what_the_readme_quotes_stands_in_the_results(lang: str, page: str) -> None:
    assert list(disagreements(lang, page, RESULTS)) == []


def test_every_number_of_the_readme_has_a_known_origin(lang: str, page: str) -> None:
    assert unexplained(lang, page) == [], "quote it from benchmarks/RESULTS.md, or say in NOT_MEASURED where it is from"


@pytest.mark.parametrize("quote", QUOTES, ids=lambda quote: quote["en"])
def test_a_figure_that_is_changed_in_one_place_is_seen(lang: str, page: str, quote: Mapping[str, str]) -> None:
    assert list(disagreements(lang, changed(page, quote[lang]), RESULTS)) != []
    assert list(disagreements(lang, page, changed(RESULTS, quote["results"]))) != []


def test_a_step_that_no_measured_run_had_is_seen(lang: str, page: str) -> None:
    assert len(list(disagreements(lang, re.sub("brief 634|简报 692", "brief 1", page), RESULTS))) == 1
    assert len(list(disagreements(lang, page, re.sub("brief 634|简报 692", "brief 1", RESULTS)))) == 1


def test_a_new_number_is_asked_after(lang: str, page: str) -> None:
    assert unexplained(lang, f"{page}\nIt is 41 % faster.\n") == ["It is 41 % faster."]


def changed(text: str, pattern: str) -> str:
    """The text with the figure that a pattern finds written otherwise."""
    found = re.search(pattern, text)
    assert found
    return f"{text[: found.start(1)]}77{text[found.end(1) :]}"

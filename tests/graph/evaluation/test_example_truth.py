from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from memory_secretary.graph.evaluation.example_truth import Depot, Lang, depot
from memory_secretary.tools.example_workspace import copy_example

LANGS: tuple[Lang, ...] = ("en", "zh")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_example(tmp_path_factory.mktemp("example") / "work")


def _texts(place: Depot, workspace: Path) -> list[str]:
    return [(workspace / path).read_text("utf-8") for path in place.reports]


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.:])\s+(?=[A-Z])|[。！\n]", text)


def _states(sentence: str, value: Decimal) -> bool:
    return any(
        re.search(rf"(?<![\d,.]){re.escape(form)}(?!\d|,\d|\.\d)", sentence) for form in (f"{value:,}", str(value))
    )


@pytest.mark.parametrize("lang", LANGS)
def test_each_report_states_each_measure_once_in_a_sentence_with_its_name(lang: Lang, workspace: Path) -> None:
    place = depot(lang)
    for month, text in enumerate(_texts(place, workspace)):
        for measure in place.measures:
            value = measure.months[month]
            stating = [one for one in _sentences(text) if measure.name in one.lower() and _states(one, value)]
            assert len(stating) == 1, (place.reports[month], measure.name, stating)


@pytest.mark.parametrize("lang", LANGS)
def test_the_note_states_every_limit_and_those_of_other_depots(lang: Lang, workspace: Path) -> None:
    place = depot(lang)
    text = (workspace / place.note).read_text("utf-8")
    for measure in place.measures:
        assert any(measure.name in line.lower() and _states(line, measure.limit) for line in text.splitlines())


@pytest.mark.parametrize("lang", LANGS)
def test_highest_and_lowest_are_unique_and_limits_part_the_year(lang: Lang) -> None:
    for measure in depot(lang).measures:
        assert len(measure.months) == 12
        assert measure.months.count(max(measure.months)) == measure.months.count(min(measure.months)) == 1
        assert 3 <= len(measure.above) <= 9


@pytest.mark.parametrize("lang", LANGS)
def test_other_figures_stand_beside_the_true_ones(lang: Lang, workspace: Path) -> None:
    """Last month's value stands in most reports, so the right number cannot be found by its size alone."""
    place = depot(lang)
    texts = _texts(place, workspace)
    for measure in place.measures:
        repeated = sum(_states(texts[month], measure.months[month - 1]) for month in range(1, 12))
        assert repeated >= 6, measure.name


@pytest.mark.parametrize("lang", LANGS)
def test_no_two_stating_sentences_are_worded_alike(lang: Lang, workspace: Path) -> None:
    place = depot(lang)
    texts = _texts(place, workspace)
    for measure in place.measures:
        found = [
            re.sub(r"[\d,.]+", "#", one)
            for month, text in enumerate(texts)
            for one in _sentences(text)
            if measure.name in one.lower() and _states(one, measure.months[month])
        ]
        assert len(set(found)) == 12


@pytest.mark.parametrize("lang", LANGS)
def test_neither_the_number_after_the_name_nor_the_one_before_it_is_the_rule(lang: Lang, workspace: Path) -> None:
    place = depot(lang)
    texts = _texts(place, workspace)
    for measure in place.measures:
        halves = [re.split(measure.name, text, maxsplit=1, flags=re.IGNORECASE) for text in texts]
        before = [_figures(half[0])[-1] == value for half, value in zip(halves, measure.months, strict=True)]
        after = [_figures(half[1])[0] == value for half, value in zip(halves, measure.months, strict=True)]
        assert max(sum(before), sum(after)) <= 8, measure.name


def _figures(text: str) -> list[Decimal]:
    return [Decimal(figure.replace(",", "")) for figure in re.findall(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?", text)]


@pytest.mark.parametrize("lang", LANGS)
def test_no_other_document_gives_a_total_away(lang: Lang, workspace: Path) -> None:
    totals = [sum(measure.months, Decimal(0)) for measure in depot(lang).measures]
    for path in workspace.rglob("*.*"):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", errors="ignore")
            assert not [total for total in totals if total > 1_000 and _states(text, total)], path


def test_the_truth_is_not_in_the_workspace(workspace: Path) -> None:
    assert not list(workspace.rglob("*.json"))

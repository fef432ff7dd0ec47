import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.digest import rank
from memory_secretary.nodes.noting import Candidate, candidates, clear, spelled
from memory_secretary.nodes.passages import passages

GOALS = {
    "en": "Which month had the highest rainfall in mm?",
    "zh": "哪个月降雨量最高（毫米）？",
}
FIELDS = {"en": "rainfall", "zh": "降雨量"}


def found(text, lang, **more):
    lines = [(score, piece.text) for score, piece in rank(passages(text), [GOALS[lang], FIELDS[lang]]) if score > 0]
    return candidates(lines, FIELDS[lang], GOALS[lang], **more)


@pytest.mark.parametrize(
    ("lang", "text", "value"),
    [
        ("en", "Rainfall came to 61 mm. The office has 12 chairs and 3 lamps.", "61 mm"),
        ("en", "Rainfall came to 61mm on 14 days.", "61mm"),
        ("en", "Rainfall: 1,284.5 mm (last month 990 mm)", "1,284.5 mm"),
        ("en", "The rainfall was 61 mm, against a forecast of 80 mm.", "61 mm"),
        ("zh", "本月降雨量为61毫米，预计80毫米。", "61毫米"),
        ("zh", "降雨量 61 毫米，上月 90 毫米。", "61 毫米"),
        ("zh", "降雨量：１，２８４毫米", "1,284毫米"),
        ("zh", "降雨量三百二十毫米。", "三百二十毫米"),
    ],
)
def test_a_plain_value_is_found_with_its_unit_as_it_stands(lang, text, value):
    best = clear(found(text, lang))
    assert best is not None and best.value == value


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "Rainfall on 14 March 2025 rose by 12 % against 2024."),
        ("zh", "2025年3月14日降雨量上升12%。"),
        ("en", "The rainfall of three days."),
    ],
)
def test_dates_and_percentages_are_no_candidates(lang, text):
    assert [c.value for c in found(text, lang) if c.text not in ("three",)] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_records_own_month_wins(lang):
    text = {
        "en": "Rainfall: 70 mm in February, 61 mm in March, 50 mm in April.",
        "zh": "降雨量：二月70毫米，三月61毫米，四月50毫米。",
    }[lang]
    best = clear(found(text, lang, label="reports/2025-03.md"))
    assert best is not None and best.text == "61"


def test_a_value_that_other_records_gave_is_rarely_this_ones_too():
    text = "Rainfall 61 mm and rainfall 70 mm."
    assert found(text, "en", known={"61"})[0].text == "70"
    assert found(text, "en", known={"70"})[0].text == "61"


def test_two_equal_candidates_are_not_clear_but_one_value_twice_is():
    assert clear([Candidate(0, "61", 2.0), Candidate(1, "70", 1.9)]) is None
    assert clear([Candidate(0, "61", 2.0), Candidate(1, "61", 1.9), Candidate(2, "70", 1.0)]) is not None
    assert clear([]) is None


LINES = st.lists(st.tuples(st.floats(0, 100), st.text(max_size=50) | st.sampled_from(
    ["rainfall 61 mm", "降雨量１２毫米", "third of 5", "²½", "第3", "2025-03"])), max_size=5)  # fmt: skip


@given(LINES, st.sampled_from(["rainfall", "降雨量", "", "?"]), st.text(max_size=20))
@settings(max_examples=80, deadline=None)
def test_candidates_come_best_first_and_stand_in_their_lines(lines, field, label):
    import unicodedata

    found = candidates(lines, field, GOALS["en"] + GOALS["zh"], label=label)
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
    assert all(c.value in unicodedata.normalize("NFKC", lines[c.line][1]) for c in found)


def test_a_noted_value_gives_its_numbers_back():
    assert spelled("1,284 mm") == ["1,284"]
    assert spelled("三百二十毫米") == ["三百二十"]
    assert spelled("none") == []


@pytest.mark.parametrize(
    "line",
    ["REC-259: the amount due is 1906 EUR.", "The amount due for REC-259 is €1906.", "REC-259应付金额是1906元。"],
)
def test_an_amount_is_no_year_and_a_name_no_amount(line):
    found = candidates([(1.0, line)], "amount due 应付金额", "the total of the amounts due 应付金额合计")
    assert [candidate.text for candidate in found] == ["1906"]

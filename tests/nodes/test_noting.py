import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.digest import rank
from memory_secretary.nodes.noting import candidates, joined, spelled
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
    assert found(text, lang)[0].value == value


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
    assert found(text, lang, label="reports/2025-03.md")[0].text == "61"


def test_a_value_that_other_records_gave_is_rarely_this_ones_too():
    text = "Rainfall 61 mm and rainfall 70 mm."
    assert found(text, "en", known={"61"})[0].text == "70"
    assert found(text, "en", known={"70"})[0].text == "61"


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
    assert spelled("1,284 mm") == ("1,284",)
    assert spelled("三百二十毫米") == ("三百二十",)
    assert spelled("none") == ()


@pytest.mark.parametrize(
    "line",
    ["REC-259: the amount due is 1906 EUR.", "The amount due for REC-259 is €1906.", "REC-259应付金额是1906元。"],
)
def test_an_amount_is_no_year_and_a_name_no_amount(line):
    found = candidates([(1.0, line)], "amount due 应付金额", "the total of the amounts due 应付金额合计")
    assert [candidate.text for candidate in found] == ["1906"]


REPORTS = {
    "en": ("Sum up the night calls of St Brannoc's from all ward reports, actual figures.", "night calls"),
    "zh": ("请合计安和门诊的夜间呼叫次数，按实际数。", "夜间呼叫次数"),
}


@pytest.mark.parametrize(
    ("lang", "text", "value"),
    [
        ("en", "The Linden Clinic had 151 night calls. At St Brannoc's it was 270, against a plan of 380.", "270"),
        ("en", "13:56 [A3] The Linden Clinic had 151 night calls.\nAt St Brannoc's it was 270.", "270"),
        ("en", "Night calls: the Linden Clinic 151, St Brannoc's 270, planned 380.", "270"),
        ("en", "Last year we had 244 night calls and meant to reach 106; it became 294.", "294"),
        ("en", ",actual,plan,last year,the Linden Clinic\nnight calls,270,380,250,151", "270"),
        ("en", '{"rows": [{"name": "night calls", "actual": 270, "plan": 380, "the Linden Clinic": 151}]}', "270"),
        ("zh", "南湖门诊的夜间呼叫次数有151，安和门诊是270，计划数是380。", "270"),
        ("zh", "| | 实际 | 计划 | 南湖门诊 |\n| --- | --- | --- | --- |\n| 夜间呼叫次数 | 270 | 380 | 151 |", "270"),
    ],
)
def test_in_a_record_of_several_places_the_figure_of_the_one_asked_for_comes_first(lang, text, value):
    goal, field = REPORTS[lang]
    pieces = joined(passages(text), field, goal)
    lines = [(score, piece.text) for score, piece in rank(pieces, [goal, field]) if score > 0]
    assert candidates(lines, field, goal)[0].text == value


def test_a_sentence_goes_on_with_the_one_before_only_where_it_alone_has_the_name():
    goal, field = REPORTS["en"]
    apart = passages("St Brannoc's had 270 night calls. At St Brannoc's it rained on 3 days.")
    assert joined(apart, field, goal) == apart
    other = passages("The Linden Clinic had 151 night calls. Its roof leaks on 3 days.")
    assert joined(other, field, goal) == other
    new_paragraph = passages("We had 27 night calls.\n\nAt St Brannoc's 12 beds were bought.")
    assert joined(new_paragraph, field, goal) == new_paragraph
    same = passages("We had 27 night calls. At St Brannoc's it was 12.")
    assert len(joined(same, field, goal)) == 1


@pytest.mark.parametrize("text", ["entries[2]: night calls", "13:56 [C4] night calls", "room B12: night calls"])
def test_places_in_lists_and_parts_of_names_are_no_values(text):
    assert candidates([(1.0, text)], "night calls", REPORTS["en"][0]) == []


def test_the_number_of_the_records_own_name_is_no_value():
    lines = [(1.0, "Invoice 101: 460 euros are to be paid")]
    found = candidates(
        lines, "invoice", "Which invoice is it, and how many euros?", label="notes/inv-101.md\nInvoice 101"
    )
    assert [candidate.text for candidate in found] == ["460"]

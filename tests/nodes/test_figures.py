from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import GOALS, task, value

from memory_secretary.memory.task_state import Adjustment
from memory_secretary.nodes.brief import computed_lines, figure_line, figure_lines
from memory_secretary.nodes.figures import PARTS, asked_for, asks_for_each, figures_of, rivals, shown
from memory_secretary.nodes.wording import EN, ZH

MONTHS = [value(f"reports/2025-0{n}.md", said) for n, said in enumerate(("61 mm", "1,284.5 mm", "90 mm"), 1)]
LIMIT = value("notes/limit.md", "80 mm")


def change(kind, said="As I said.", **more):
    plain = {"field": "rainfall", "subjects": [], "number": "", "relation": "over", "name": ""}
    return Adjustment(kind=kind, said=said, **{**plain, **more})


def test_a_series_is_summed_and_compared_with_its_limit():
    [figure] = figures_of([*MONTHS, LIMIT])
    assert (figure.name, figure.unit) == ("rainfall", "mm")
    assert figure.values == {"2025-01": 61, "2025-02": Decimal("1284.5"), "2025-03": 90}
    assert (figure.total, figure.high, figure.low) == (Decimal("1435.5"), Decimal("1284.5"), 61)
    assert figure.mean == Decimal("478.50")
    assert figure.records_of(figure.high) == "2025-02"
    [limit] = figure.limits
    assert (limit.value, limit.subject, limit.records) == (80, "notes/limit.md", ("2025-02", "2025-03"))


def test_a_records_latest_value_counts():
    [figure] = figures_of([*MONTHS, value("reports/2025-01.md", "70 mm")])
    assert figure.values["2025-01"] == 70


def test_each_field_and_kind_of_record_has_its_own_figure():
    others = [value("hours/1.md", "5小时", "工时"), value("hours/2.md", "7小时", "工时")]
    assert [(f.name, f.unit, f.total) for f in figures_of([*MONTHS, *others])] == [
        ("rainfall", "mm", Decimal("1435.5")),
        ("工时", "小时", 12),
    ]


@pytest.mark.parametrize("values", [[], MONTHS[:1], [LIMIT, value("a", "none"), value("b", "unknown")]])
def test_fewer_than_two_numbers_make_no_figure(values):
    assert figures_of(values) == []


@pytest.mark.parametrize("code", ["9" * 16, "1" * 30, "7" * 5000])
def test_nothing_is_computed_from_codes(code):
    assert figures_of([value("parcels/1.md", code), value("parcels/2.md", code)]) == []


@given(st.lists(st.decimals(0, 10**15 - 1, places=2), min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_figures_hold_for_any_numbers(numbers):
    [figure] = figures_of([value(f"reports/{n}.md", f"{number:,} mm") for n, number in enumerate(numbers)])
    assert figure.low <= figure.mean + Decimal("0.01") and figure.mean <= figure.high + Decimal("0.01")
    assert figure.total == sum(numbers)
    assert all(shown(figure.high) in figure_line(figure, words) for words in (EN, ZH))


@pytest.mark.parametrize(
    ("number", "text"), [("1284.50", "1,284.5"), ("1E+4", "10,000"), ("0.00", "0"), ("1000", "1,000"), ("0.1", "0.1")]
)
def test_a_number_for_a_reader(number, text):
    assert shown(Decimal(number)) == text


def test_records_of_the_same_short_name_are_all_counted():
    [figure] = figures_of([value("2024/03.md", "61 mm"), value("2025/03.md", "90 mm")])
    assert figure.values == {"2024/03.md": 61, "2025/03.md": 90}


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        ("Add up the diesel of all months and name the highest month.", ("total", "high")),
        ("把十二个月加起来，告诉我全年合计和最高的月份。", ("total", "high")),
        ("Which week had the fewest pallets?", ("total", "low")),
        ("哪一周破损件数最少？", ("total", "low")),
        ("How much more was it in the highest month than in the lowest one?", ("total", "high", "low", "spread")),
        ("最高的一个月比最低的一个月多多少？", ("total", "high", "low", "spread")),
        ("What is the difference between the best and the worst month?", ("total", "high", "low", "spread")),
        ("What was it on average?", ("total", "high", "low", "mean")),
        ("月均是多少？", ("total", "high", "low", "mean")),
        ("Which was the worst month?", ("total", "high", "low")),
        ("哪个月最差？", ("total", "high", "low")),
        ("Name the highest and the lowest.", ("total", "high", "low")),
        ("How many parcels were there in all?", ("total", "high", "low")),
    ],
)
def test_what_a_goal_could_be_after_is_shown_and_no_more(goal, parts):
    assert asked_for(goal) == parts


@pytest.mark.parametrize("words", [EN, ZH])
def test_a_figure_shows_the_asked_parts_in_their_order(words):
    [figure] = figures_of(MONTHS)
    said = [figure_line(figure, words, parts) for parts in (("total", "mean"), PARTS)]
    assert all("1,435.5" in line and "478.5" in line for line in said)
    assert ["1,284.5" in line for line in said] == [False, True]


# --- with what the user's words change ------------------------------------------------------------------------------


def test_a_record_that_does_not_count_is_in_no_figure():
    [figure] = figures_of(MONTHS, [change("without", subjects=["reports/2025-02.md", "reports/2026-01.md"])])
    assert (list(figure.values), figure.total, figure.high) == (["2025-01", "2025-03"], 151, 90)
    assert [part.records for part in figure.left_out] == [("2025-02",)]


def test_where_no_record_counts_there_is_no_figure():
    assert figures_of(MONTHS, [change("without", field="", subjects=[v["subject"] for v in MONTHS])]) == []


def test_what_is_added_is_in_the_total_and_in_nothing_else():
    [figure] = figures_of(MONTHS, [change("plus", number="45"), change("plus", number="-0.5")])
    assert (figure.total, figure.sum) == (Decimal("1480"), Decimal("1435.5"))
    assert (figure.high, figure.mean) == (Decimal("1284.5"), Decimal("478.50"))


@pytest.mark.parametrize(
    ("relation", "number", "records"),
    [("over", "90", ("2025-02",)), ("from", "90", ("2025-02", "2025-03")), ("under", "90", ("2025-01",)),
     ("upto", "90", ("2025-01", "2025-03"))],
)  # fmt: skip
def test_a_limit_names_the_records_on_its_side(relation, number, records):
    [figure] = figures_of(MONTHS, [change("limit", number=number, relation=relation, name="wet")])
    assert [(limit.name, limit.records) for limit in figure.limits] == [("wet", records)]


@pytest.mark.parametrize("field", ["temperature", "rain"])
def test_a_change_of_another_field_changes_nothing(field):
    changes = [change("without", field=field, subjects=[MONTHS[0]["subject"]]), change("plus", field=field, number="4")]
    assert figures_of(MONTHS, changes) == figures_of(MONTHS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_line_shows_operands_and_whose_words_they_are(lang):
    words = {"en": EN, "zh": ZH}[lang]
    changes = [
        change("without", "2025-01 is a trial.", subjects=[MONTHS[0]["subject"]]),
        change("plus", "Add 45.", number="45"), change("limit", "Above 90 is wet.", number="90", name="wet"),
    ]  # fmt: skip
    state = task(goal=GOALS[lang] + " Above 90 is wet.", values=MONTHS, adjustments=changes)
    [line] = figure_lines(state, words)
    assert all(
        part in line for part in ("1,419.5 mm", "1,374.5", "+ 45", "2025-01", "“2025-01 is a trial.”", "“Add 45.”")
    )
    assert words.as_goal in line and "= wet" in line and "\n" not in line and "Above 90 is wet" not in line


def test_a_number_taken_off_is_shown_with_its_sign():
    [figure] = figures_of(MONTHS, [change("plus", number="-35.5")])
    assert "1,400 mm (= 1,435.5 of the records - 35.5" in figure_line(figure, EN)


@given(st.lists(st.integers(-999, 999), max_size=4), st.sets(st.integers(0, 4)))
@settings(max_examples=60, deadline=None)
def test_the_total_is_always_what_its_operands_come_to(added, gone):
    noted = [value(f"r/{n}.md", str(10**n)) for n in range(5)]
    changes = [change("plus", number=str(n)) for n in added]
    changes.append(change("without", subjects=[f"r/{n}.md" for n in gone]))
    for figure in figures_of(noted, changes):
        assert figure.total == sum(10**n for n in range(5) if n not in gone) + sum(added)


@pytest.mark.parametrize(
    ("goal", "each"),
    [
        ("Sum up the night calls; one line each (number: figure), and the sum at the end.", True),
        ("Give every one on a line of its own.", True),
        ("一行一个，写成“编号：数字”，最后写合计。", True),
        ("Add up all twelve months and tell me the total.", False),
        ("请逐份看完：全年合计是多少？", False),
    ],
)
def test_a_goal_may_want_every_value_in_its_answer(goal, each):
    assert asks_for_each(goal) is each
    lines = computed_lines(task(goal=goal, values=MONTHS), EN)
    assert (lines[:2] == (EN.each_first, "2025-01: 61 mm")) is each


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        ("Which of the logs went over the limit?", ()),
        ("哪些周报超了上限？", ()),
        ("Which went over the limit, and what is the total?", ("total",)),
        ("哪些超了上限？合计多少？", ("total",)),
        ("Which went over the limit, and which is the highest?", ("high",)),
    ],
)
def test_beside_a_limit_only_what_the_goal_speaks_of_is_shown(goal, parts):
    assert asked_for(goal, limited=True) == parts
    assert "total" in asked_for(goal)


DEPOTS = [value("reports/harwick/2025-06.md", "14,690 mm"), value("reports/eskdale/2025-06.md", "9,120 mm")]


@pytest.mark.parametrize(
    ("goal", "shown_beside_each_other"),
    [
        ("How much rain fell in June 2025?", True),
        ("How much rain fell at Harwick in June 2025?", False),
        ("2025年6月的降雨量是多少？", True),
        ("eskdale 2025年6月的降雨量是多少？", False),
    ],
)
@pytest.mark.parametrize("words", [EN, ZH])
def test_values_that_answer_alike_are_shown_beside_each_other(goal, shown_beside_each_other, words):
    assert rivals(goal, DEPOTS) == (DEPOTS if shown_beside_each_other else [])
    lines = figure_lines(task(goal=goal) | {"values": DEPOTS}, words)
    assert [all(one["value"] in line for one in DEPOTS) for line in lines] == [True] * shown_beside_each_other


def test_one_value_many_values_and_several_fields_have_no_rivals():
    assert rivals("How much?", DEPOTS[:1]) == rivals("How much?", []) == []
    assert rivals("How much?", [value(f"{place}/1.md", "5 mm") for place in "abcde"]) == []
    assert rivals("How much?", [*DEPOTS, value("reports/harwick/2025-06.md", "7", "wind")]) == []

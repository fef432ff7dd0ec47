import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.passages import passages

FEW = settings(max_examples=60, deadline=None)
PROSE = st.text(st.sampled_from("ab1 9.!?。；，雨\n\r\t|#\"')"), max_size=400)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(st.sampled_from("ab 雨.\n"), max_size=10)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("kx雨"), inner))


def squeezed(text):
    return "".join(text.split())


@given(PROSE)
@example("x" * 1500)
@example("1,284 " * 300)
@example("１２３\u2028next\x1cline")
@FEW
def test_prose_is_cut_where_it_says_and_nothing_is_dropped(text):
    pieces = passages(text)
    assert all(text[piece.start : piece.start + len(piece.text)] == piece.text for piece in pieces)
    assert squeezed("".join(piece.text for piece in pieces)) == squeezed(text)
    assert all(len(piece.text) <= 600 for piece in pieces)


def scalars(value):
    if isinstance(value, dict | list):
        return [leaf for inner in (value.values() if isinstance(value, dict) else value) for leaf in scalars(inner)]
    return [value]


@given(st.lists(JSON, max_size=3) | st.dictionaries(st.text("kx雨"), JSON, max_size=3))
@FEW
def test_every_scalar_of_json_stands_in_a_passage(data):
    text = "\n".join(piece.text for piece in passages(json.dumps(data, ensure_ascii=False)))
    assert all(str(leaf) in text for leaf in scalars(data))


def test_values_of_one_json_record_stay_together_under_its_path():
    orders = {"orders": [{"id": "ORD-17", "amount": 450, "lines": [{"sku": "罐头", "n": 2}]}], "page": 1}
    assert [piece.text for piece in passages(json.dumps(orders))] == [
        "page: 1",
        "orders[0]: id: ORD-17, amount: 450",
        "orders[0].lines[0]: sku: 罐头, n: 2",
    ]


def test_html_is_read_as_text():
    page = "<html><script>var x = '<p>no</p>';</script><p>Rain: 61&nbsp;mm</p><p>三月</p></html>"
    assert [piece.text for piece in passages(page)] == ["Rain: 61\xa0mm", "三月"]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "[1, 2", "{not json}", "<", "< 5 mm and > 3 mm", ""])
def test_what_only_begins_like_json_or_html_is_prose(text):
    assert squeezed("".join(piece.text for piece in passages(text))) == squeezed(text)


def test_sentences_are_cut_in_both_languages():
    english = "The gauge stood at 1.5 m in March. It fell to 0.9 m later! Did it rain? No."
    chinese = "三月的降雨量为六十一毫米，比二月多。四月降到五十毫米；水位也随之下降！五月还没有数据，请稍后再来查看吧。"
    assert len(passages(english)) == 4
    assert [piece.text[-1] for piece in passages(chinese)] == list("。；！。")


def test_a_table_row_stays_whole():
    row = "| Harwick | March. April! | 61 mm? Yes. | and some more words to be long |"
    assert [piece.text for piece in passages(f"{row}\n{row}")] == [row, row]


def test_no_number_is_parted_by_a_cut():
    text = "、".join(str(number) for number in range(100_000, 100_400))
    assert {n for piece in passages(text) for n in piece.text.split("、") if n} == set(text.split("、"))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("late trains,253,366,262\n", ["late trains | 253 | 366 | 262"]),
        ('晚点车次,25,"1,424",40\n', ["晚点车次 | 25 | 1,424 | 40"]),
        ("In all 1,284, then 2,000 more.\n", ["In all 1,284, then 2,000 more."]),
        ("1,284,500\n", ["1,284,500"]),
        ("name,12\n", ["name,12"]),
    ],
)
def test_a_row_of_figures_comes_apart_at_its_commas(text, rows):
    assert [piece.text for piece in passages(text)] == rows


def test_a_row_of_a_web_page_stays_one_passage():
    page = "<html><table><tr><td class='a'>amount</td><td>€980</td></tr><tr><th>state</th><td>late</td></tr></table>"
    assert [" ".join(piece.text.split()) for piece in passages(page)] == ["amount | €980", "state | late"]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (",actual,plan\nabsences,51,28\n", "absences | actual: 51 | plan: 28"),
        ("| | 实际 | 计划 |\n| --- | --- | --- |\n| 缺勤人次 | 17 | 49 |\n", "缺勤人次 | 实际: 17 | 计划: 49"),
        ("name,actual,plan\nnotes, kept by Ann\nabsences,51,28\n", "absences | 51 | 28"),
        ("a,b\nabsences,51,28\n", "absences | 51 | 28"),
    ],
)
def test_a_figure_of_a_row_stands_under_its_column_s_name_where_the_table_has_one(text, row):
    assert passages(text)[-1].text == row

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.digest import choose, rank
from memory_secretary.nodes.passages import Passage, passages

FEW = settings(max_examples=50, deadline=None)
NOISE = {
    "en": "The office had new chairs delivered and everyone was glad about the colour of them. ",
    "zh": "办公室换了一批新椅子，大家对颜色都很满意，也有人觉得扶手稍微高了一些需要调整。",
}
NEEDLE = {
    "en": "Rainfall at the Harwick gauge came to 61 mm in March.",
    "zh": "哈威克站三月份的降雨量为61毫米，属于正常水平。",
}
WANTED = {"en": ["Which month had the highest rainfall?", "rainfall"], "zh": ["哪个月降雨量最高？", "降雨量"]}


def report(lang, place=20):
    lines = [NOISE[lang]] * 40
    lines[place] = NEEDLE[lang]
    return "\n".join(lines)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("place", [0, 20, 39])
def test_the_sentence_that_matters_is_found_wherever_it_stands(lang, place):
    chosen = [piece.text for piece in choose(report(lang, place), WANTED[lang], budget=120)]
    assert NEEDLE[lang] in chosen
    assert len(chosen) == len(set(chosen)), "no sentence is said twice"
    assert rank(passages(report(lang, place)), WANTED[lang])[0][1].text == NEEDLE[lang]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_text_that_fits_is_returned_whole(lang):
    assert choose(f"\n  {NEEDLE[lang]} \n", WANTED[lang], budget=100) == [Passage(3, NEEDLE[lang])]
    assert choose("  \n ", WANTED[lang], budget=100) == []


@given(st.lists(st.sampled_from([*NOISE.values(), *NEEDLE.values(), "61 mm", "# Rain", "| a | 1 |"]), max_size=30),
       st.integers(0, 300), st.sampled_from([len, estimate_tokens]))  # fmt: skip
@FEW
def test_what_is_chosen_fits_and_stands_in_document_order(lines, budget, count):
    text = "\n".join(lines)
    chosen = choose(text, WANTED["en"] + WANTED["zh"], budget=budget, count=count)
    assert count("\n".join(piece.text for piece in chosen)) <= budget
    assert [piece.start for piece in chosen] == sorted(piece.start for piece in chosen)


def test_rows_of_json_keep_their_order():
    rows = [{"month": n, "rainfall": n * 7 % 11, "remark": "as usual " * (n % 4)} for n in range(1, 13)]
    chosen = [piece.text for piece in choose(json.dumps(rows), ["rainfall", "month remark"], budget=150)]
    months = [int(text.split("month: ")[1].split(",")[0]) for text in chosen]
    assert len(months) > 2 and months == sorted(months)


def test_with_nothing_near_the_text_is_clipped():
    [only] = choose(report("en"), ["zqxv"], budget=60)
    assert "left out" in only.text and estimate_tokens(only.text) <= 60


def test_what_other_records_say_word_for_word_is_nothing_new():
    text = f"{NEEDLE['en']}\nRainfall was 50 mm in April at the Harwick gauge, as the keeper says.\n{NOISE['en']}"
    ranked = rank(passages(text), ["rainfall"], known=[NEEDLE["en"]])
    assert ranked[0][1].text.startswith("Rainfall was 50 mm")
    assert [score for score, piece in ranked if piece.text == NEEDLE["en"]] == [0]


def test_a_number_and_a_heading_bring_a_passage_forward():
    painted = "The rainfall gauge was painted by the keeper."
    text = f"# Report\n## Rainfall\nMarch gave 61 mm in all.\n## Staff\n{painted}"

    def scores(text):
        return {piece.text: score for score, piece in rank(passages(text), ["rainfall"])}

    assert scores(text)["March gave 61 mm in all."] > 0, "its heading names what is wanted"
    assert scores(text)[painted] < scores(text.replace("## Staff\n", ""))[painted], (
        "its section is about something else"
    )


def test_a_later_wanted_text_weighs_more():
    text = "apples 5 here\npears 6 here"
    assert rank(passages(text), ["apples", "pears"])[0][1].text == "pears 6 here"
    assert rank(passages(text), ["pears", "apples"])[0][1].text == "apples 5 here"


def test_nothing_comes_of_nothing():
    assert rank([], ["rainfall"]) == []
    assert all(score == 0 for score, _ in rank(passages(NOISE["en"]), []))

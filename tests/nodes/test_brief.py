from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import GOALS, done, item, task, value

from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.brief import (
    DONE_SHOWN,
    OPEN_SHOWN,
    Newest,
    Section,
    computed_lines,
    done_line,
    figure_lines,
    fit,
    folding,
    for_reply,
    render,
    sections_of,
    value_line,
)
from memory_secretary.nodes.call_arguments import subject_of
from memory_secretary.nodes.wording import EN, ZH

WORDS = {"en": EN, "zh": ZH}
COUNTERS = [len, estimate_tokens, lambda text: len(text.split()), lambda text: len(text.encode("utf-8", "replace"))]
NAMES = ["goal", "amended", "constraints", "done", "progress", "newest", "recalled", "open", "reminders", "goal_again"]
FEW = settings(max_examples=60, deadline=None)


def sections(lang, n_done=3, n_open=2, **more):
    state = task(*(done(n) for n in range(1, n_done + 1)), *(item(n) for n in range(50, 50 + n_open)), goal=GOALS[lang])
    return sections_of(state, WORDS[lang], **more)


LINE = st.text(max_size=60) | st.sampled_from(["降雨量61毫米", "rainfall 61 mm " * 9, "x" * 300])
SECTIONS = st.lists(
    st.builds(
        Section, st.sampled_from(NAMES), st.sampled_from(["Goal", "目标", "Open", ""]),
        st.lists(LINE, min_size=1, max_size=8).map(tuple), minimum=st.integers(0, 1),
        drop=st.sampled_from(["first", "last"]),
    ),
    max_size=8, unique_by=lambda section: section.name,
)  # fmt: skip


@given(SECTIONS, st.integers(0, 400), st.sampled_from(COUNTERS), st.sampled_from([EN, ZH]))
@FEW
def test_a_brief_never_exceeds_its_budget(parts, budget, count, words):
    brief = fit(parts, budget, words, count)
    assert count(brief.text) <= budget
    if count(render(parts, parts, words)) <= budget - 3 * len(parts) - sum(len(part.lines) for part in parts):
        assert brief.left_out == {} and brief.text == render(parts, parts, words), "what fits is left as it is"


@given(st.sampled_from(["en", "zh"]), st.integers(0, 60), st.integers(0, 40), st.integers(40, 600),
       st.lists(LINE, max_size=4), st.integers(1, 30))  # fmt: skip
@FEW
def test_the_goals_heading_always_stays(lang, n_done, n_open, budget, recalled, long):
    parts = sections(lang, n_done, n_open, recalled=recalled)
    parts[0] = Section("goal", WORDS[lang].goal, (GOALS[lang] * long,), minimum=1)
    brief = fit(parts, budget, WORDS[lang])
    assert brief.text.startswith(f"## {WORDS[lang].goal}\n")
    assert estimate_tokens(brief.text) <= budget


@given(st.integers(0, 40), st.integers(0, 40), st.integers(120, 400), st.sampled_from(["en", "zh"]))
@FEW
def test_the_goal_is_whole_as_long_as_anything_else_can_give_way(n_done, n_open, budget, lang):
    brief = fit(sections(lang, n_done, n_open), budget, WORDS[lang])
    assert brief.text.startswith(f"## {WORDS[lang].goal}\n{GOALS[lang]}\n")
    if budget > 200:
        assert brief.text.endswith(GOALS[lang]), "small models lose the middle: it stands at both ends"
    assert not n_open or f"i50: {item(50)['text']}" in brief.text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_folded_is_counted(lang):
    brief = fit(sections(lang, 60, 2, recalled=["m" * 40]), 300, WORDS[lang])
    gone = brief.left_out["done"]
    assert brief.left_out["recalled"] == 1
    assert WORDS[lang].folded.format(n=gone) in brief.text
    assert done_line(done(60), WORDS[lang]) in brief.text and done_line(done(1), WORDS[lang]) not in brief.text
    assert done_line(done(gone + 1), WORDS[lang]) in brief.text, "the oldest give way first"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_sections_stand_in_the_order_of_the_design(lang):
    state = task(
        done(1), done(2, status="failed", result="gone"), item(3), goal=GOALS[lang], amendments=["Also April."],
        constraints=["Only read."],
    )  # fmt: skip
    parts = sections_of(
        state, WORDS[lang], recalled=["likes short answers"],
        newest=Newest(call="read_file(path=a)", lines=["61 mm"], ref="evt_1"),
        reminders=["Do not repeat."], instruction="Decide.",
    )  # fmt: skip
    assert [part.name for part in parts] == [
        "goal", "amended", "constraints", "done", "progress", "newest", "recalled", "open", "reminders", "goal_again",
        "instruction",
    ]  # fmt: skip
    text = fit(parts, 2000, WORDS[lang]).text
    assert (
        WORDS[lang].progress_line.format(done=1, all=3, open=1) + WORDS[lang].progress_failed.format(failed=1) in text
    )
    assert WORDS[lang].failed.format(error="gone") in text
    assert text.endswith("\n\nDecide.")


def test_what_comes_first_stays_as_it_was_while_the_task_goes_on():
    """A server's prefix cache keeps the beginning: the done items only grow at their end."""
    early = render(*[sections("en", 3)[:2]] * 2, EN)
    late = render(*[sections("en", 9)[:2]] * 2, EN)
    assert late.startswith(early)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_of_many_done_items_a_dozen_or_two_are_shown_and_the_rest_is_folded_so_many_at_a_time(lang):
    texts = [fit(folding(sections(lang, n)), 100_000, WORDS[lang]).text for n in range(1, 10 * DONE_SHOWN)]
    shown = [sum(line.startswith("- read_file(") for line in text.splitlines()) for text in texts]
    assert shown[: 2 * DONE_SHOWN - 1] == list(range(1, 2 * DONE_SHOWN))
    assert set(shown[2 * DONE_SHOWN :]) == set(range(DONE_SHOWN, 2 * DONE_SHOWN))
    assert WORDS[lang].folded.format(n=8 * DONE_SHOWN) in texts[-1]
    kept = [
        later.startswith(text[: text.index("##", 20 + text.index("→"))].rstrip()) for text, later in pairwise(texts)
    ]
    assert sum(kept) >= len(kept) * (DONE_SHOWN - 1) // DONE_SHOWN, "the beginning changes once in a dozen steps"


def test_empty_sections_are_left_out():
    assert [part.name for part in sections("zh", 0, 0)] == ["goal", "goal_again"]


@pytest.mark.parametrize("words", [EN, ZH])
def test_more_open_items_than_are_shown_are_counted(words):
    [part] = [part for part in sections_of(task(*map(item, range(30))), words) if part.name == "open"]
    assert len(part.lines) == OPEN_SHOWN + 1 and part.lines[-1] == words.more_open.format(n=30 - OPEN_SHOWN)


def test_figures_are_shown_once_nothing_is_open():
    values = [value("r/1.md", "61 mm"), value("r/2.md", "90 mm"), value("notes/limit.md", "80 mm")]
    shown = {part.name: part for part in sections_of(task(done(1), values=values), EN)}
    assert shown["figures"].lines == (
        "- rainfall, 2 records: total 151 mm; highest 90 (2). Above 80 (notes/limit.md): 1 records (2); not above: 1.",
    )
    assert "figures" not in {part.name for part in sections_of(task(item(1), values=values), EN)}
    assert value_line(values[0]) == "rainfall: 61 mm"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_the_user_asked_to_keep_in_mind_stands_near_the_end(lang):
    names = [section.name for section in sections(lang, recalled=["- a"], kept=["- short answers"], reminders=["r"])]
    assert names[names.index("kept") - 1 : names.index("kept") + 2] == ["reminders", "kept", "goal_again"]


def test_once_all_is_done_the_records_behind_an_act_show_no_values():
    paid = done(
        2, action="pay", arguments={"no": "INV-1", "amount": 100}, subject="INV-1", text="pay(INV-1)", result="Paid."
    )
    [read, act] = next(part.lines for part in sections_of(task(done(1), paid), EN) if part.name == "done")
    assert read == f"- {done(1)['text']}" and act.endswith("Paid.")
    open_too = next(part.lines for part in sections_of(task(done(1), paid, item(3)), EN) if part.name == "done")
    assert open_too[0] == done_line(done(1), EN)


def test_a_way_that_was_followed_stands_in_place_of_other_figures():
    first = done(1, action="get_order", arguments={"order_id": "ORD-1"}, source="evt_goal")
    second = done(2, action="get_order", arguments={"order_id": "ORD-2"}, source="evt_1")
    values = [value("ORD-1", "1 mm"), value("ORD-2", "2 mm")]
    followed = task(first, second, goal="Follow ORD-1 to its end.", values=values)
    lines = next(part.lines for part in sections_of(followed, EN) if part.name == "figures")
    assert len(lines) == 3 and lines[0].endswith("ORD-2")
    [read, _] = next(part.lines for part in sections_of(followed, EN) if part.name == "done")
    assert read == f"- {first['text']}", "what its records said stands with the way"


@pytest.mark.parametrize(("words", "said"), [(EN, "Could not be read"), (ZH, "没能读到")])
def test_what_could_not_be_read_is_named_beside_the_figures_but_not_what_was_read_under_a_new_name(words, said):
    values = [value("2", "61 mm"), value("3", "90 mm")]
    lost = done(4, status="failed", result="4 is damaged; skip it.")
    moved = done(5, status="failed", result="5 is now kept as notes/2.md.")
    state = task(done(2), done(3), lost, moved, values=values)
    [line] = [line for line in computed_lines(state, words) if said in line]
    name = subject_of(lost["arguments"])
    assert name in line and subject_of(moved["arguments"]) not in line
    assert not any(said in line for line in computed_lines(task(done(2), done(3), values=values), words))


@pytest.mark.parametrize(("words", "goal"), [(EN, "Add up the late deliveries."), (ZH, "把迟到人次加起来。")])
def test_a_total_of_one_record_is_told_as_that(words, goal):
    value = {"name": "late", "subject": "sheets/WS-1.md", "value": "90", "ref": "evt_1"}
    [line] = figure_lines(task(goal=goal, values=[value]), words)
    assert "90" in line
    assert "WS-1" in line
    assert figure_lines(task(goal="Tell me about it. 说说看。", values=[value]), words) == ()


def test_a_message_is_no_goal_and_its_own_words_are_no_constraint():
    said = "Answer in one word from now on."
    state = task(goal=said, constraints=[said, "Speak like a pirate."])
    shown = for_reply(sections_of(state, EN, kept=["- likes tea"]), EN)
    assert [(section.heading, section.lines) for section in shown] == [
        (EN.message, (said,)),
        (EN.constraints, ("- Speak like a pirate.",)),
        (EN.kept, ("- likes tea",)),
    ]

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import ModelRefused, ModelUnreachable
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.secretary import MAX_FIELDS, Secretary, fields_schema, read_fields, select_schema
from memory_secretary.nodes.spending import Allowance

GOALS = {
    "en": "Find the month with the highest rainfall in the reports under reports/harwick, and the mean temperature.",
    "zh": "请查出 reports/柳桥 下各份月报里降雨量最高的月份，以及平均气温。",
}
REPORTS = Group(
    "read_file", "path", "reports/harwick/#-#.md", ("reports/harwick/2025-01.md", "reports/harwick/2025-02.md")
)
NOTE = Group("read_file", "path", "notes/tea.md", ("notes/tea.md",))
LINES, OPTIONS = ["Rainfall was 61 mm.", "Rainfall: 90 mm in all."], ["61 mm", "90 mm"]


def secretary(model, *, window=4096, calls_left=9, tokens_left=100_000):
    return Secretary(resolve_model(model, window=window), window=window, left=Allowance(calls_left, tokens_left))


# --- which fields -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "goal", "fields"),
    [
        (["rainfall", "mean temperature"], "en", ["rainfall", "temperature"]),
        (["highest rainfall (mm)"], "en", ["rainfall"]),
        (["降雨量", "平均气温"], "zh", ["降雨量", "气温"]),
        (["降雨量最高的月份"], "zh", ["降雨量 的"]),
        (["wind speed", "humidity"], "en", []),
        (["rainfall", "the rainfall"], "en", ["rainfall"]),
        (["reports/harwick", "2025", "month"], "en", []),
        ([None, 7, {"a": 1}, "  "], "en", []),
        ("rainfall", "en", ["rainfall"]),
        (5, "en", []),
        (None, "en", []),
        ({"x": "rainfall"}, "en", []),
        (["rainfall", "temperature", "reports under", "find"], "en", ["rainfall", "temperature"]),
    ],
)
def test_fields_are_kept_in_the_goals_own_words(said, goal, fields):
    assert read_fields({"look_for": said}, GOALS[goal]) == fields


def test_a_name_of_the_goal_is_no_field():
    assert read_fields({"look_for": ["Harwick"]}, "What fell at Harwick?") == []


@given(
    st.dictionaries(
        st.sampled_from(["look_for", "x"]), st.none() | st.lists(st.text(max_size=20)) | st.text(max_size=20)
    )
)
@settings(max_examples=60, deadline=None)
def test_any_reply_gives_few_fields(data):
    goal = GOALS["en"] + GOALS["zh"]
    found = read_fields(data, goal)
    assert len(found) <= MAX_FIELDS and all(found)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_model_is_asked_for_fields_with_the_goal(scripted_model, lang):
    asked = secretary(scripted_model.enqueue({"look_for": ["rainfall", "降雨量"]}))
    assert asked.fields(GOALS[lang]) == [{"en": "rainfall", "zh": "降雨量"}[lang]]
    assert GOALS[lang] in scripted_model.history[0][1].text
    assert asked.tally.calls == 1 and asked.tally.problems == []


# --- which calls --------------------------------------------------------------------------------------------------


def test_the_calls_that_the_task_needs_are_chosen_by_number(scripted_model):
    asked = secretary(scripted_model.enqueue({"1": "yes", "2": "no"}))
    assert asked.select(GOALS["en"], [REPORTS, NOTE]) == [REPORTS]
    shown = scripted_model.history[0][1].text
    assert f"1. {REPORTS.label}\n2. {NOTE.label}" in shown


def test_many_calls_are_judged_in_several_questions(scripted_model):
    groups = [Group("read_file", "path", f"{n}.md", (f"{n}.md",)) for n in range(30)]
    asked = secretary(scripted_model.enqueue(*({str(n): "yes" for n in range(1, 25)}, {"6": "yes", "7": "yes"})))
    assert asked.select("Read.", groups) == [*groups[:24], groups[29]]


def test_without_an_answer_the_calls_that_the_goal_names_are_chosen(scripted_model):
    asked = secretary(scripted_model.enqueue("no idea"))
    assert asked.select(GOALS["en"], [REPORTS, NOTE]) == [REPORTS]
    assert len(asked.tally.problems) == 1


# --- which record --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "picked"),
    [("1", 0), ("2", 1), ("0", None), ("3", None), ("²", None), (2, 1), (None, None), ("61", None)],
)
def test_one_of_the_options_is_picked_or_none(scripted_model, choice, picked):
    asked = secretary(scripted_model.enqueue({"choice": choice}))
    assert asked.next(GOALS["en"], "2025-03.md", LINES, OPTIONS) == picked
    shown = scripted_model.history[0][1].text
    assert "- Rainfall was 61 mm.\n" in shown and "1: 61 mm\n2: 90 mm\n0: none of them" in shown


# --- its limits ---------------------------------------------------------------------------------------------------


def test_a_failing_model_is_a_problem_and_no_error(scripted_model):
    refused = ModelRefused("the key is wrong; set another")
    asked = secretary(scripted_model.enqueue(refused, refused, {"look_for": ["rainfall"]}))
    assert asked.next(GOALS["en"], "a.md", LINES, OPTIONS) is None
    assert asked.fields(GOALS["en"]) == []
    assert len(asked.tally.problems) == 1 and "wrong" in asked.tally.problems[0]
    assert asked.fields(GOALS["en"]) == ["rainfall"], "the next question is asked all the same"
    assert (asked.tally.calls, asked.tally.unreachable) == (3, 0)


def test_a_server_that_did_not_answer_is_not_asked_again_in_this_step(scripted_model):
    down = ModelUnreachable("no answer; start the server", zh="没有回答；请启动服务")
    asked = secretary(scripted_model.enqueue(down, {"look_for": ["rainfall"]}))
    with speaking("zh"):
        assert asked.next(GOALS["zh"], "a.md", LINES, OPTIONS) is None
        assert asked.fields(GOALS["zh"]) == []
    assert (asked.tally.calls, asked.tally.unreachable, asked.tally.problems) == (1, 1, [down.zh])


def test_its_calls_are_limited(scripted_model):
    asked = secretary(scripted_model.enqueue({"look_for": ["rainfall"]}), calls_left=1)
    assert [asked.fields(GOALS["en"]) for _ in range(3)] == [["rainfall"], [], []]
    assert (asked.tally.calls, asked.tally.problems) == (1, ["it is not asked any more in this run"])


def test_its_tokens_are_limited(scripted_model):
    spent = AIMessage(
        '{"look_for": ["rainfall"]}', usage_metadata=UsageMetadata(input_tokens=400, output_tokens=10, total_tokens=410)
    )
    asked = secretary(scripted_model.enqueue(spent, spent), tokens_left=411)
    assert [asked.fields(GOALS["en"]) for _ in range(3)] == [["rainfall"], ["rainfall"], []]
    assert (asked.tally.tokens, asked.tally.problems) == (820, ["it is not asked any more in this run"])


def test_reasoning_in_front_of_the_answer_is_not_read(scripted_model):
    asked = secretary(scripted_model.enqueue('<think>{"look_for": ["temperature"]}</think>{"look_for": ["rainfall"]}'))
    assert asked.fields(GOALS["en"]) == ["rainfall"]


@pytest.mark.parametrize("window", [1024, 2048, 4096])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_question_exceeds_the_window_with_its_reply(new_scripted_model, window, lang):
    model = new_scripted_model().enqueue({"look_for": []}, {"1": "no"}, {"choice": "0"})
    asked = secretary(model, window=window)
    goal = GOALS[lang] * 200
    asked.fields(goal)
    asked.select(goal, [REPORTS, NOTE] * 6)
    asked.next(goal, "a.md", LINES * 300, OPTIONS * 3)
    sizes = [sum(estimate_tokens(message.text) + 12 for message in prompt) for prompt in model.history]
    assert len(sizes) == 3 and all(size + min(400, window // 4) <= window for size in sizes), sizes


def test_schemas_demand_an_answer_to_everything():
    assert select_schema(3)["required"] == ["1", "2", "3"]
    assert fields_schema()["properties"]["look_for"]["minItems"] == 1


# --- what the user's sentences change -------------------------------------------------------------------------------

DOUBTS = [("B-12 was a trial.", ["leave out B-12"]), ("The annex has 45, not 50.", ["add 45", "add 50"])]


@pytest.mark.parametrize(
    ("reply", "choices"),
    [
        ({"1": "leave out B-12", "2": "add 50"}, [0, 1]),
        ({"1": "nothing", "2": "add 45"}, [None, 0]),
        ({"1": "add 45", "2": "add 46"}, [None, None]),
        ({"2": ["add 45"]}, [None, None]),
        ({}, [None, None]),
    ],
)
def test_a_sentences_reading_is_one_of_those_that_were_offered(scripted_model, reply, choices):
    asked = secretary(scripted_model.enqueue(reply))
    assert asked.changes(GOALS["en"], DOUBTS) == choices
    prompt = scripted_model.history[0][1].text
    assert all(text in prompt for text in (GOALS["en"], "1. B-12 was a trial.", "2: add 45, or add 50, or nothing"))
    assert asked.tally.calls == 1


def test_without_an_answer_no_sentence_changes_anything(scripted_model):
    assert secretary(scripted_model.enqueue(ModelUnreachable("down"))).changes(GOALS["en"], DOUBTS) == [None, None]

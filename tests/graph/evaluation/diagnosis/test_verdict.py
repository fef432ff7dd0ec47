"""What is called an error is one, what causes it is told from the window, and work without a mistake has none."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import ToolException, tool
from policy import PolicyModel, step
from talks import CLEAN, ERRORS, call, far, said, user

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.baselines import sliding_window
from memory_secretary.graph.evaluation.diagnosis.messages import messages_of
from memory_secretary.graph.evaluation.diagnosis.verdict import diagnose
from memory_secretary.graph.evaluation.longtask.suite import FAMILIES, make_task
from memory_secretary.nodes.models.resolve import resolve_model

SMALL, LARGE = 1024, 32_768


@pytest.mark.parametrize("name", ERRORS)
def test_a_known_error_is_found_alone_and_is_due_to_a_small_window(name):
    kind, talk = ERRORS[name]
    found = diagnose(messages_of(talk), SMALL)
    assert [finding.kind for finding in found.findings] == [kind]
    assert found.findings[0].outside and found.findings[0].needed and found.verdict == "forgetting"


@pytest.mark.parametrize("name", ERRORS)
def test_the_same_error_with_everything_in_sight_is_not_forgetting(name):
    found = diagnose(messages_of(ERRORS[name][1]), LARGE)
    assert len(found.findings) == 1 and not found.findings[0].outside
    assert found.verdict == "not_forgetting" and found.full_at is None


@pytest.mark.parametrize("window", [256, SMALL, LARGE])
@pytest.mark.parametrize("name", CLEAN)
def test_work_without_a_mistake_has_no_error(name, window):
    found = diagnose(messages_of(CLEAN[name]), window)
    assert found.findings == () and found.verdict == "none"


def perfect(task):
    """What a worker that makes no mistake says and does."""
    tools = {function.__name__: function for function in task.environment().tools()}
    talk = [
        part for _, text in task.turns[:-1] for part in user(text) + said("好的。" if task.lang == "zh" else "Yes.")
    ]
    talk += user(task.turns[-1][1])
    for each in task.oracle.calls:
        try:
            result = tools[each.tool](**each.arguments)
        except ToolException as error:
            result = f"Error: {error}"
        talk += call(each.tool, result, **each.arguments)
    return talk + said(task.oracle.answer)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_right_way_through_a_long_task_has_no_error(family, lang):
    for seed, length in enumerate(("short", "medium", "long"), start=201):
        found = diagnose(messages_of(perfect(make_task(family, seed, lang, length))), 2048)
        assert found.findings == (), (seed, length)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("family", ["collect_report", "act_on_condition"])
def test_an_error_put_into_the_right_way_is_found_where_it_is(family, lang):
    talk = perfect(make_task(family, 7, lang, "medium"))
    reads = [n for n, part in enumerate(talk) if part.get("tool_calls")][1:]
    again = talk[reads[0] : reads[0] + 2]
    repeated = diagnose(messages_of([*talk[: reads[2]], *again, *talk[reads[2] :]]), LARGE)
    assert [finding.kind for finding in repeated.findings] == ["step_repeated"]
    made_up = json.loads(json.dumps(talk))
    function = made_up[reads[1]]["tool_calls"][0]["function"]
    function["arguments"] = re.sub(r"(\w-)\d", r"\g<1>99", function["arguments"], count=1)
    found = diagnose(messages_of(made_up), LARGE)
    assert ("invention", found.findings[0].step) == (found.findings[0].kind, 3), found.findings


@tool
def read_page(number: int) -> str:
    """Read one page of the depot's book."""
    return f"Page {number} of the depot: {number * 111} boxes. " + "It rained on the yard all morning. " * 25


def forgetful(pages):
    """Reads the first page that its prompt does not show, as a model does that has forgotten the others."""

    def rule(_):
        shown = "\n".join(str(message.content) for message in model.prompts[-1])
        left = [n for n in pages if f"Page {n} of" not in shown]
        return step("read_page", number=left[0]) if left else step("final_answer", answer="Read.")

    model = PolicyModel(rule=rule)
    return model


def recorded(model):
    """The whole conversation of a sliding window, of whose prompts each holds the newest part."""
    talk = [{"role": message.type, "content": message.content} for message in model.prompts[0]]
    for prompt in model.prompts[1:]:
        talk += [{"role": message.type, "content": message.content} for message in prompt[-2:]]
    return talk


def run(pages, window):
    model = forgetful(pages)
    chosen = Settings(user_id="ana", executor_window=window, max_steps=9)
    turns = [("t1", "Read the pages of the depot's book and note the boxes.")]
    sliding_window(turns, executor=resolve_model(model, window=window), tools=[read_page], settings=chosen)
    return diagnose(messages_of(recorded(model)), window, keeps_request=True)


def test_what_the_sliding_window_repeats_is_due_to_forgetting():
    found = run([1, 2, 3, 4, 5], 1536)
    assert found.findings and {finding.kind for finding in found.findings} == {"step_repeated"}
    assert found.explained == len(found.findings) and found.verdict == "forgetting"


def test_the_sliding_window_with_room_for_everything_makes_no_error():
    found = run([1, 2, 3], 8192)
    assert found.findings == () and found.full_at is None


def test_a_sentence_counts_once():
    kind, talk = ERRORS["two values"]
    assert [finding.kind for finding in diagnose(messages_of(talk), SMALL).findings] == [kind]


def test_half_of_the_errors_make_forgetting_the_problem_and_fewer_a_part_of_it():
    one = [*call("look", "The yard.", at="yard"), *call("look", "The yard.", at="yard")]
    early = ERRORS["repeat"][1]
    assert diagnose(messages_of([*early, *user("Look at the yard."), *one]), SMALL).verdict == "forgetting"
    twice = [*user("Look at the yard."), *one, *user("Look again."), *one]
    assert diagnose(messages_of([*early, *twice]), SMALL).verdict == "partly"


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(sorted(ERRORS)), min_size=1, max_size=2), st.integers(256, 8192))
def test_a_larger_window_never_explains_more_by_forgetting(names, window):
    messages = messages_of([part for name in names for part in ERRORS[name][1]])
    small, large = diagnose(messages, window), diagnose(messages, 2 * window)
    assert len(small.findings) == len(large.findings) and small.explained >= large.explained


def test_the_request_may_be_kept_while_the_rest_slides():
    kind, talk = ERRORS["asks for the task"]
    [finding] = diagnose(messages_of(talk), SMALL, keeps_request=True).findings
    assert finding.kind == kind and not finding.outside


def test_a_system_message_is_always_in_sight_and_takes_room():
    system = [{"role": "system", "content": "You are the clerk of the depot. " * 30}]
    talk = [*user("Read the notes."), *far("en", 2), *said("Read.")]
    assert diagnose(messages_of(talk), SMALL).full_at is None
    assert diagnose(messages_of(system + talk), SMALL).full_at is not None

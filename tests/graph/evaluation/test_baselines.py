from __future__ import annotations

import itertools

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import ToolException, tool
from policy import PolicyModel, step

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.baselines import WINDOW_FULL, Conversation, conversed, slide
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.prompt import prompt_tokens

WINDOW = 1536


@tool
def read_page(number: int) -> str:
    """Read one page of a long book."""
    if number > 3:
        msg = "there is no such page"
        raise ToolException(msg)
    return f"Page {number}. " + "It rained on the depot all morning. " * 60


def run(rule, turns, *, summarize=False, whole=False, steps=8):
    model = PolicyModel(rule=rule)
    settings = Settings(user_id="ana", executor_window=WINDOW, secretary_window=WINDOW, max_steps=steps)
    executor = resolve_model(model, window=WINDOW)
    how = {"summarize": summarize, "whole": whole}
    return model, conversed(turns, executor=executor, tools=[read_page], settings=settings, **how)


def reader(pages, answer="the end"):
    """Reads the pages in order, writes a summary when asked for one, and answers."""
    waiting = list(pages)

    def rule(prompt):
        if prompt.startswith("Rewrite the summary"):
            return f"rain, {prompt.count('Page ')} pages"
        return step("read_page", number=waiting.pop(0)) if waiting else step("final_answer", answer=answer)

    return rule


def conversation(room):
    talk = Conversation("system", room, len)
    talk.ask("first")
    talk.step("a", "1")
    talk.answer("done")
    talk.ask("second")
    talk.step("b", "2")
    talk.step("c", "3")
    return talk


def texts(talk):
    return [message.text for message in talk.prompt()]


def test_everything_is_shown_while_it_fits():
    talk = conversation(10_000)
    slide(talk)
    assert texts(talk) == ["system", "first", "a", "1", "done", "second", "b", "2", "c", "3"]


def test_the_oldest_exchanges_go_first_and_the_turns_request_stays():
    talk = conversation(10_000)
    seen = [texts(talk)[1:]]
    while talk.take_oldest():
        seen.append(texts(talk)[1:])
    assert seen[1:] == [
        ["1", "done", "second", "b", "2", "c", "3"],
        ["second", "b", "2", "c", "3"],
        ["second", "c", "3"],
        ["second"],
    ]


def test_a_prompt_that_can_only_shrink_to_the_request_is_left_at_that():
    talk = conversation(1)
    slide(talk)
    assert texts(talk) == ["system", "second"]


def test_the_whole_history_is_shown_until_it_does_not_fit_and_then_the_run_ends():
    model, result = run(reader([1, 2, 3, 1]), [("one", "read")], whole=True)
    shown = [[message.text for message in prompt] for prompt in model.prompts]
    assert all(later[: len(before) - 1] == before[:-1] for before, later in itertools.pairwise(shown))
    assert (result.stop_reason, result.answer) == (WINDOW_FULL, "")
    assert result.steps == len(model.prompts) < 5


def test_the_whole_history_answers_while_it_fits():
    _, result = run(reader([1]), [("one", "read")], whole=True)
    assert (result.stop_reason, result.answer, result.unseen) == ("", "the end", [0, 0])


def test_what_is_written_is_counted_apart_and_timed():
    _, result = run(reader([1, 2, 3]), [("one", "read")], summarize=True)
    assert 0 < result.secretary_reply_tokens < result.secretary_tokens
    assert result.reply_tokens > 0
    assert result.seconds_by_node.keys() == {"plan", "summarize"}


def test_both_sessions_are_in_one_conversation():
    model, result = run(reader([], "noted"), [("one", "remember 7"), ("two", "what was it?")])
    shown = [message.text.partition("\n\nReply with")[0] for message in model.prompts[-1]]
    assert shown[1:] == ["remember 7", "noted", "what was it?"]
    assert (result.answer, result.steps, result.stop_reason) == ("noted", 2, "")


def test_a_tools_error_comes_back_as_text():
    model, result = run(reader([9]), [("one", "read page 9")])
    assert "Error: there is no such page" in model.prompts[-1][-1].text
    assert (result.answer, result.tool_calls) == ("the end", 1)


def test_arguments_of_a_wrong_type_come_back_as_text():
    model, _ = run(reader(["last"]), [("one", "read the last page")])
    assert "Error: " in model.prompts[-1][-1].text


def test_the_same_call_again_is_a_repeat():
    assert run(reader([1, 2, 1]), [("one", "read")])[1].repeats == 1


def test_a_turn_ends_at_its_limit_of_steps():
    _, result = run(reader([1] * 9), [("one", "read")], steps=4)
    assert (result.steps, result.answer, result.stop_reason) == (4, "", "step_limit")


def test_what_leaves_the_prompt_is_summarized():
    model, result = run(reader([1, 2, 3, 1, 2, 3]), [("one", "read")], summarize=True)
    steps = [prompt for prompt in model.prompts if not prompt[-1].text.startswith("Rewrite")]
    assert "Summary of what is no longer shown:\nrain" in steps[-1][0].text
    assert 0 < result.secretary_calls < result.steps
    assert result.secretary_tokens > 0


@pytest.mark.parametrize("summarize", [False, True])
def test_every_prompt_fits_the_window(summarize):
    model, result = run(reader([1, 2, 3, 1, 2, 3]), [("one", "read")], summarize=summarize)
    assert all(prompt_tokens(prompt, resolve_model(model, window=WINDOW).count) <= WINDOW for prompt in model.prompts)
    assert result.largest_prompt < WINDOW


def test_an_empty_summary_keeps_the_old_one():
    replies = iter(["", "later"])

    def rule(prompt):
        if prompt.startswith("Rewrite"):
            return next(replies, "later")
        return pages(prompt)

    pages = reader([1, 2, 3, 1, 2])
    _, result = run(rule, [("one", "read")], summarize=True)
    assert result.answer == "the end"


def test_the_answer_is_kept_for_the_next_turn():
    talk = conversation(10_000)
    talk.answer("bye")
    talk.ask("third")
    assert isinstance(talk.prompt()[-2], AIMessage)
    assert talk.prompt()[-1] == HumanMessage("third")

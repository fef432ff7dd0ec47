"""What waits becomes cards: by the command, after an answer, in the background; and what a run queues at all."""

from __future__ import annotations

import json
import time
from datetime import timedelta

import pytest
from policy import PolicyModel, step
from typer.testing import CliRunner

from memory_secretary.graph import Settings, cli_settle
from memory_secretary.graph.cli import app
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models import resolve

ANA = Scope(user="ana", thread="t1")
GOOD = [{"line": "1", "attribute": "calls"}]
HATES = {"en": "I hate phone calls, write to me instead.", "zh": "我讨厌打电话，给我发消息就行。"}


def thread(name):
    return {"configurable": {"thread_id": name}}


def answering(cards):
    """A model that answers at once, and gives these cards where it is asked for cards."""
    reply = json.dumps({"cards": cards}, ensure_ascii=False)
    return PolicyModel(
        rule=lambda prompt: reply if "Write a card for each" in prompt else step("final_answer", answer="Noted.")
    )


def asked_for_cards(model):
    return [prompt for prompt in model.prompts if "Write a card for each" in prompt[-1].text]


# --- what a run queues ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_by_default_a_run_queues_what_says_something_and_asks_for_no_cards(new_graph, memory, lang):
    model = answering(GOOD)
    graph = new_graph(model)
    for text in ("hello!", HATES[lang], "I bank with Nordia."):
        graph.invoke({"messages": [("user", text)]}, thread("t1"))
    assert [(entry.reason, len(entry.event_ids)) for entry in memory.pending(ANA)] == [("preference", 1)]
    assert (asked_for_cards(model), memory.list(ANA)) == ([], [])


def test_turns_without_a_trigger_are_queued_together_once_there_are_enough(new_graph, memory):
    graph = new_graph(answering([]), precipitation_turns=2)
    for text in ("I bank with Nordia.", "thanks", "I keep 12 hives.", "I work as a nurse."):
        graph.invoke({"messages": [("user", text)]}, thread("t1"))
    [entry] = memory.pending(ANA)
    assert (entry.reason, [memory.read(ANA, ref) for ref in entry.event_ids]) == (
        "turns", ["I bank with Nordia.", "I keep 12 hives."],
    )  # fmt: skip
    closed = memory.close_session(ANA)
    assert "I work as a nurse." in [memory.read(ANA, ref) for ref in closed.event_ids]


# --- after an answer, in the background -----------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_inline_the_turn_is_a_card_when_the_run_returns(new_graph, memory, lang):
    model = answering(GOOD)
    graph = new_graph(model, precipitation="inline")
    told = [*graph.stream({"messages": [("user", HATES[lang])]}, thread("t1"), stream_mode="custom")]
    assert [card.content for card in memory.list(ANA)] == [HATES[lang]]
    assert memory.pending(ANA) == []
    assert [chunk["settled"]["cards"] for chunk in told if "settled" in chunk] == [1]


def test_inline_a_bad_reply_neither_spoils_the_answer_nor_is_asked_for_after_every_turn(new_graph, memory):
    model = PolicyModel(
        rule=lambda prompt: "no" if "Write a card for each" in prompt else step("final_answer", answer="Noted.")
    )
    graph = new_graph(model, precipitation="inline")
    for text in (HATES["en"], "hello!"):
        out = graph.invoke({"messages": [("user", text)]}, thread("t1"))
        assert (out["status"], out["messages"][-1].text) == ("done", "Noted.")
    assert len(asked_for_cards(model)) == 2
    assert [entry.state for entry in memory.pending(ANA)] == ["failed"]


def test_inline_no_call_is_made_beyond_the_limit(new_graph, memory):
    model = answering([])
    new_graph(model, precipitation="inline", precipitation_calls=0).invoke(
        {"messages": [("user", HATES["en"])]}, thread("t1")
    )
    assert (asked_for_cards(model), [entry.state for entry in memory.pending(ANA)]) == ([], ["queued"])


def test_in_the_background_the_answer_does_not_wait(new_graph, memory):
    model = answering(GOOD)
    new_graph(model, precipitation="background").invoke({"messages": [("user", HATES["en"])]}, thread("t1"))
    until = time.monotonic() + 60
    while memory.pending(ANA) and time.monotonic() < until:
        time.sleep(0.02)
    assert [card.content for card in memory.list(ANA)] == [HATES["en"]]


def test_an_unknown_way_is_refused():
    with pytest.raises(SettingsError, match="precipitation"):
        Settings(precipitation="sometimes")


# --- the command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def settle(folder, monkeypatch):
    """Calls `memory settle` as ana with a scripted model."""

    def call(model, *words):
        monkeypatch.setattr(resolve, "resolve_model", lambda spec, **options: made(model, **options))
        return CliRunner().invoke(app, ["memory", "settle", *words, "--memory", str(folder), "--user", "ana"])

    made = resolve.resolve_model
    return call


def heard(folder, *texts):
    with TieredMemory.open(folder, embedder=None) as memory:
        for text in texts:
            memory.record(ANA, actor="user", action="request", observation=text)
        memory.close_session(ANA)


@pytest.mark.parametrize(("lang", "said"), [("en", "Nothing waits"), ("zh", "没有等待")])
def test_with_nothing_to_do_no_model_is_started(settle, lang, said):
    result = settle(None, "--lang", lang)
    assert (result.exit_code, said in result.stdout) == (0, True)


@pytest.mark.parametrize(("lang", "said"), [("en", "cards written: 1"), ("zh", "写入卡片：1")])
def test_the_command_makes_cards_and_says_how_many(settle, folder, data, lang, said):
    heard(folder, HATES[lang])
    result = settle(answering(GOOD), "--lang", lang)
    assert (result.exit_code, said in result.stdout) == (0, True), result.output
    assert HATES[lang] in {card["content"] for card in data("list")}
    assert data("pending") == []


@pytest.mark.parametrize(("lang", "said"), [("en", "Turns that stay pending: 1"), ("zh", "仍在等待的对话：1")])
def test_what_stays_pending_is_told_with_its_reason_and_tried_again(settle, folder, data, lang, said):
    heard(folder, HATES[lang])
    result = settle(PolicyModel(rule=lambda prompt: "no"), "--lang", lang)
    assert (result.exit_code, said in result.stdout) == (cli_settle.LEFT, True), result.output
    [waiting] = data("pending")
    assert (waiting["state"], waiting["attempts"]) == ("failed", 1) and waiting["note"] in result.stdout
    done = json.loads(settle(answering(GOOD), "--json").stdout)
    assert (done["cards"], done["pending"], done["stopped"]) == (1, 0, "")


def test_idle_sessions_are_closed_first(memory, new_graph):
    new_graph(answering([])).invoke({"messages": [("user", "I bank with Nordia.")]}, thread("t1"))
    assert memory.close_idle_sessions(ANA) == []
    [entry] = memory.close_idle_sessions(ANA, idle=timedelta(0))
    assert entry.reason == "session_closed"

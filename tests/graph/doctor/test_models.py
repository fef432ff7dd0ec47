"""What the facts about a model mean for its user."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from memory_secretary.graph.doctor import models
from memory_secretary.graph.doctor.finding import Notes, Severity
from memory_secretary.graph.doctor.roles import Wanted, wanted_models
from memory_secretary.graph.doctor.screen import print_end
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.errors import ModelMissing, ModelUnreachable
from memory_secretary.nodes.models.facts import Kind, LoadedModel, ServerFacts
from memory_secretary.nodes.models.handle import Structured
from memory_secretary.nodes.models.speed import Speed
from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, Cached, Condition, known_weights

NOTES = Notes("en")
VARIABLE = "MEMORY_SECRETARY_EXECUTOR_WINDOW"
PINNED = known_weights()[DEFAULT_WEIGHTS]


def facts(**known):
    given = {"server": "Ollama at http://h:1", "model": "qwen2.5:7b", "kind": Kind.OLLAMA, "reachable": True}
    return ServerFacts(**{**given, "window_asked": 8192, "present": True, **known})


def window(read=None, **known):
    return [(each.severity, each.cure) for each in models.window_findings(NOTES, facts(**known), VARIABLE, read=read)]


def test_a_window_in_force_is_fine_and_one_that_is_larger_too():
    assert window(window=8192) == [(Severity.OK, "")]
    assert window(window=32768) == [(Severity.OK, "")]


def test_a_smaller_window_is_a_fault_with_the_setting_that_fits_it():
    [(severity, cure)] = window(window=4096)
    assert severity is Severity.FAULT
    assert f"{VARIABLE}=4,096" not in cure, "a setting is written without separators"
    assert f"{VARIABLE}=4096" in cure


def test_ollama_s_openai_address_is_warned_about_with_the_better_name():
    [(severity, cure)] = window(better="ollama:qwen2.5:7b")
    assert severity is Severity.WARNING
    assert "ollama:qwen2.5:7b" in cure
    [(severity, cure)] = window(better="ollama:qwen2.5:7b", window=4096)
    assert severity is Severity.FAULT
    assert "ollama:qwen2.5:7b" in cure


def test_a_window_that_nobody_tells_is_found_out_by_a_long_prompt():
    assert window()[0][0] is Severity.NOTE
    assert "--full" in window()[0][1]
    assert window(read=7300) == [(Severity.OK, "")]


def test_a_model_that_was_made_for_less_is_warned_about():
    assert [severity for severity, _ in window(window=8192, window_trained=4096)] == [Severity.OK, Severity.WARNING]


def test_a_server_that_is_down_and_a_model_that_is_missing_are_told_apart():
    down = facts(reachable=False, present=None, problem=ModelUnreachable("down; start it"))
    assert [(each.name, each.severity) for each in models.server_findings(NOTES, down, "u")] == [
        ("server", Severity.FAULT)
    ]
    missing = facts(present=False, problem=ModelMissing("missing; pull it", zh="没有；请 pull"))
    found = list(models.server_findings(Notes("zh"), missing, "u"))
    assert [(each.name, each.severity) for each in found] == [("server", Severity.OK), ("model", Severity.FAULT)]
    assert found[1].sentence == "没有；请 pull"


@pytest.mark.parametrize(
    ("vram", "severity"), [(100, Severity.OK), (0, Severity.NOTE), (60, Severity.WARNING), (None, None)]
)
def test_where_the_model_lies_is_said_as_far_as_it_is_known(vram, severity):
    loaded = (LoadedModel("other", 5, 5), LoadedModel("qwen2.5:7b", 100, vram))
    found = [each.severity for each in models.processor_findings(NOTES, facts(loaded=loaded))]
    assert found == ([] if severity is None else [severity])


def test_two_models_that_push_each_other_out_are_warned_about():
    both = (LoadedModel("a:latest"), LoadedModel("b:1b"))
    assert models.together_finding(NOTES, "a", "b:1b", both).severity is Severity.OK
    alone = models.together_finding(NOTES, "a", "b:1b", both[1:])
    assert alone.severity is Severity.WARNING
    assert "one model in both roles" in alone.cure


@pytest.mark.parametrize("mode", Structured)
def test_every_way_of_holding_a_model_to_a_schema_has_its_sentence(mode):
    found = models.schema_finding(NOTES, mode)
    assert found.facts["mode"] == mode
    assert bool(found.cure) == (mode is Structured.TEXT)


def test_speed_is_told_as_what_a_step_takes():
    fine = models.speed_finding(NOTES, Speed(read=600.0, written=50.0, seconds=3.0))
    assert (fine.severity, fine.facts["step"]) == (Severity.OK, 2)
    assert models.speed_finding(NOTES, Speed(50.0, 2.0, 40.0)).severity is Severity.WARNING
    assert models.speed_finding(NOTES, Speed(None, None, 1.5)).facts == {"seconds": 1.5}


@pytest.mark.parametrize("speed", [Speed(9.0, 11.0, 20.0), Speed(600.0, 2.5, 20.0), Speed(None, None, 39.0)])
def test_a_step_that_takes_long_is_a_warning_whatever_makes_it_slow(speed):
    found = models.speed_finding(NOTES, speed)
    assert (found.severity, found.facts["step"] >= 20) == (Severity.WARNING, True)
    assert "smaller model" in found.cure


@pytest.mark.parametrize(
    ("lang", "slow", "first"),
    [("en", "slowly: a step takes about 39 s", "“weights”"), ("zh", "很慢：这里一步约需 39 秒", "“权重”")],
)
def test_the_last_line_says_that_it_is_slow_and_never_that_all_is_well(lang, slow, first):
    def end(*findings):
        out = io.StringIO()
        print_end(findings, lang, Console(file=out, width=400))
        return out.getvalue().strip().splitlines()

    paced = models.speed_finding(Notes(lang), Speed(None, None, 39.0))
    other = Notes(lang).make("weights", Severity.WARNING, "engine_missing")
    assert len(end(paced)) == 1 and slow in end(paced)[-1]
    assert (first in end(other, paced)[0], slow in end(other, paced)[-1]) == (True, True)
    quick = end(models.speed_finding(Notes(lang), Speed(600.0, 50.0, 3.0)))
    assert len(quick) == 1 and "run --example" in quick[0]


@pytest.mark.parametrize(
    ("condition", "severity", "cure"),
    [
        (Condition.VERIFIED, Severity.OK, ""),
        (Condition.MISSING, Severity.WARNING, "memory-secretary models fetch 1.5b"),
        (Condition.PARTIAL, Severity.WARNING, "memory-secretary models fetch 1.5b"),
        (Condition.UNVERIFIED, Severity.WARNING, "memory-secretary models verify 1.5b"),
    ],
)
def test_weights_say_what_has_to_be_done_first(condition, severity, cure):
    here = Cached(PINNED, Path("/cache/w.gguf"), condition, 7)
    [only] = models.weights_findings(NOTES, here, engine=True)
    assert (only.severity, only.cure) == (severity, cure)
    assert [each.severity for each in models.weights_findings(NOTES, here, engine=False)] == [Severity.FAULT, severity]


def test_too_little_memory_for_weights_and_windows_is_warned_about():
    here = Cached(PINNED, Path("/cache/w.gguf"), Condition.VERIFIED, PINNED.size)
    need = PINNED.memory(16384)
    assert list(models.room_findings(NOTES, here, tokens=16384, free=need)) == []
    assert list(models.room_findings(NOTES, here, tokens=16384, free=None)) == []
    [only] = models.room_findings(NOTES, here, tokens=16384, free=need - 1)
    assert only.severity is Severity.WARNING


def test_a_model_for_both_roles_gets_the_larger_window_and_names_its_variable():
    acting, noting = wanted_models("embedded", None, Settings(executor_window=2048, secretary_window=9000))
    assert acting == noting == wanted_models("embedded", "embedded", Settings(secretary_window=9000))[0]
    assert (acting.window, acting.variable) == (9000, "MEMORY_SECRETARY_SECRETARY_WINDOW")
    acting, noting = wanted_models("ollama:a", "ollama:b", Settings(executor_window=9000, secretary_window=4096))
    assert (acting.window, noting.window) == (9000, 4096)
    assert acting.variable == VARIABLE


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_window_beyond_what_embedded_weights_were_made_for_is_a_fault_and_nothing_is_started(lang, monkeypatch):
    here = Cached(PINNED, Path("/cache/w.gguf"), Condition.VERIFIED, PINNED.size)
    monkeypatch.setattr(models, "cached", lambda name: here)
    monkeypatch.setattr(models, "_opened", None)
    wanted = Wanted("embedded", 2_000_000, VARIABLE)
    *_, last = models.check_model(Notes(lang), wanted, models.Effort(), lambda doing: None)
    assert (last.severity, last.name) == (Severity.FAULT, "window")
    assert "32,768" in last.sentence and "2,000,000" in last.sentence
    assert "32768" in last.cure and f"unset {VARIABLE}" in last.cure
    assert models.beyond_finding(NOTES, here, Wanted("embedded", 32_768, VARIABLE)) is None

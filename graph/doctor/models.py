"""Do the models of both roles answer, with the window that was asked for, and how well?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memory_secretary.graph.doctor.finding import Finding, Notes, Severity
from memory_secretary.graph.doctor.roles import SLOTS, Wanted
from memory_secretary.graph.doctor.words import size, word
from memory_secretary.memory.clock import random_id
from memory_secretary.memory.errors import ContextTruncated
from memory_secretary.nodes.models.facts import Kind, LoadedModel, ServerFacts, read_long_prompt, server_facts
from memory_secretary.nodes.models.handle import ModelHandle, Structured
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.models.speed import Speed, measure_speed
from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, Cached, Condition, cached

SLOW_STEP = 20.0
"""Seconds of one step: a task of 40 steps takes a quarter of an hour at this speed."""

STEP_PROMPT, STEP_REPLY = 200, 60
"""Tokens that a step reads anew (the rest of its prompt lies in the server's cache) and writes, both roles together.

Means over the steps of ``benchmarks/own_files.py``: 195 and 60.
"""

_MEMINFO = Path("/proc/meminfo")
_NAMES = {Kind.OLLAMA: "Ollama", Kind.VLLM: "vLLM", Kind.LM_STUDIO: "LM Studio", Kind.OPENAI: "OpenAI-compatible"}


@dataclass(frozen=True, slots=True)
class Effort:
    """How much the models are asked.

    Attributes:
        ask: let them answer short questions; without, nothing is loaded.
        long: fill nine tenths of the window to see that all is read, even where the server tells its window.
    """

    ask: bool = True
    long: bool = False


def check_model(notes: Notes, wanted: Wanted, effort: Effort, tell: Callable[[str], None]) -> Iterator[Finding]:
    """Everything about one model; what has to be fetched first is said, never fetched.

    Args:
        notes: makes the findings.
        wanted: the model.
        effort: how much it is asked.
        tell: told what is done next, wherever that may take a while.

    Raises:
        MemorySecretaryError: the model's name or address cannot be understood, or its server failed.
    """
    provider, _, name = wanted.spec.partition(":")
    if provider == "embedded":
        here = cached(name or DEFAULT_WEIGHTS)
        yield from weights_findings(notes, here, engine=find_spec("xllamacpp") is not None)
        if beyond := beyond_finding(notes, here, wanted):
            yield beyond
            return
        yield from room_findings(notes, here, tokens=SLOTS * wanted.window, free=free_memory())
        if not (here.whole and find_spec("xllamacpp") and effort.ask):
            return
        tell(word(notes.lang, "busy_starting"))
    with _opened(wanted) as handle:
        yield from _asked(notes, wanted, handle, effort, tell)


@contextmanager
def _opened(wanted: Wanted) -> Iterator[ModelHandle]:
    handle = resolve_model(wanted.spec, window=wanted.window, slots=SLOTS)
    try:
        yield handle
    finally:
        handle.close()


def _asked(
    notes: Notes, wanted: Wanted, handle: ModelHandle, effort: Effort, tell: Callable[[str], None]
) -> Iterator[Finding]:
    tell(word(notes.lang, "busy_asking"))
    facts = server_facts(handle, probe=effort.ask)
    yield from server_findings(notes, facts, handle.url)
    if facts.problem is not None:
        return
    try:
        long = effort.ask and (effort.long or facts.window is None)
        if long:
            tell(word(notes.lang, "busy_reading"))
        yield from window_findings(notes, facts, wanted.variable, read=read_long_prompt(handle) if long else None)
    except ContextTruncated as error:
        yield notes.refused("window", error)
    yield from processor_findings(notes, facts)
    if facts.structured is not None:
        yield schema_finding(notes, facts.structured)
    if effort.ask:
        tell(word(notes.lang, "busy_speed"))
        yield speed_finding(notes, measure_speed(handle, salt=random_id()[:6]))


# --- an embedded model ---------------------------------------------------------------------------------------------


def weights_findings(notes: Notes, here: Cached, *, engine: bool) -> Iterator[Finding]:
    """Whether an embedded model's file and llama.cpp are on this machine."""
    if not engine:
        yield notes.make("weights", Severity.FAULT, "engine_missing", cure="engine_missing_cure")
    yield _weights_finding(notes, here)


def _weights_finding(notes: Notes, here: Cached) -> Finding:
    path, condition = str(here.path), here.condition
    if here.weights is None:
        return notes.make("weights", Severity.OK, "weights_own", path=path, shown=size(here.size), condition=condition)
    facts = {
        "model": here.weights.name, "short": here.weights.short, "shown": size(here.weights.size),
        "here": size(here.size), "path": path, "condition": condition,
    }  # fmt: skip
    if condition is Condition.VERIFIED:
        return notes.make("weights", Severity.OK, "weights_verified", **facts)
    cure = "weights_verify" if condition is Condition.UNVERIFIED else "weights_fetch"
    return notes.make("weights", Severity.WARNING, f"weights_{condition}", cure=cure, **facts)


def beyond_finding(notes: Notes, here: Cached, wanted: Wanted) -> Finding | None:
    """The fault where a larger window is asked for than an embedded model was made for; no server is started for it."""
    trained = here.weights.trained if here.weights else 0
    if not 0 < trained < wanted.window:
        return None
    values: dict[str, Any] = {"asked": wanted.window, "trained": trained}
    names = {"variable": wanted.variable, "fits": str(trained)}
    return notes.make("window", Severity.FAULT, "window_trained", cure="window_trained_cure", **values, **names)


def room_findings(notes: Notes, here: Cached, *, tokens: int, free: int | None) -> Iterator[Finding]:
    """A warning when the machine's free memory cannot hold an embedded model with so many tokens of context."""
    need = here.weights.memory(tokens) if here.weights else here.size
    if free is not None and need > free:
        facts = {"need": size(need), "free": size(free)}
        yield notes.make("processor", Severity.WARNING, "room_low", cure="room_low_cure", **facts)


def free_memory() -> int | None:
    """Bytes of main memory that a new program can have; None where the system does not tell."""
    try:
        lines = _MEMINFO.read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


# --- a server's model ----------------------------------------------------------------------------------------------


def server_findings(notes: Notes, facts: ServerFacts, url: str) -> Iterator[Finding]:
    """Whether the server at ``url`` answers and has the model."""
    if facts.reachable:
        yield notes.make("server", Severity.OK, "server_ok", kind=_NAMES.get(facts.kind, facts.kind), url=url)
    if facts.problem is not None:
        yield notes.refused("model" if facts.reachable else "server", facts.problem)
    else:
        yield notes.make("model", Severity.OK, "model_ok" if facts.present else "model_assumed", model=facts.model)


def window_findings(notes: Notes, facts: ServerFacts, variable: str, *, read: int | None = None) -> Iterator[Finding]:
    """The window asked for against the one in force, as the server tells it or as a long prompt shows.

    Args:
        notes: makes the findings.
        facts: what the server says.
        variable: the environment variable that sets this window.
        read: tokens that were read of a prompt of nine tenths of the window, all of it; None when none was sent.
    """
    severity, key = _window(facts, read)
    values: dict[str, Any] = {
        "asked": facts.window_asked,
        "window": facts.window,
        "trained": facts.window_trained,
        "read": read,
    }
    names: dict[str, Any] = {"variable": variable, "model": facts.model, "better": facts.better}
    fits = str(facts.window)  # as a setting is written, without separators
    yield notes.make("window", severity, key, cure=_window_cure(facts, key), fits=fits, **values, **names)
    if facts.window_trained is not None and facts.window_trained < facts.window_asked:
        cure, fits = "window_trained_cure", str(facts.window_trained)
        yield notes.make("window", Severity.WARNING, "window_trained", cure=cure, fits=fits, **values, **names)


def _window(facts: ServerFacts, read: int | None) -> tuple[Severity, str]:
    """How bad it is, and the phrase for it."""
    if facts.window is not None and facts.window < facts.window_asked:
        return Severity.FAULT, "window_small"
    if read is not None:
        return Severity.OK, "window_read"
    if facts.better:
        return Severity.WARNING, "window_ignored"
    return (Severity.NOTE, "window_unknown") if facts.window is None else (Severity.OK, "window_ok")


def _window_cure(facts: ServerFacts, key: str) -> str:
    """The phrase for what to do."""
    if key in ("window_small", "window_ignored"):
        return "window_better" if facts.better else "window_lower"
    return "window_unknown_cure" if key == "window_unknown" else ""


def processor_findings(notes: Notes, facts: ServerFacts) -> Iterator[Finding]:
    """Where the loaded model lies, on the graphics card or not, as far as the server says."""
    own = loaded_as(facts.model, facts.loaded)
    if own is None or own.size is None or own.vram_share is None:
        return
    values: dict[str, Any] = {"model": own.name, "shown": size(own.size), "percent": round(100 * own.vram_share)}
    if own.vram_share >= 1:
        yield notes.make("processor", Severity.OK, "processor_gpu", **values)
    elif own.vram_share == 0:
        yield notes.make("processor", Severity.NOTE, "processor_cpu", **values)
    else:
        yield notes.make("processor", Severity.WARNING, "processor_mixed", cure="processor_mixed_cure", **values)


def loaded_as(model: str, loaded: tuple[LoadedModel, ...] | None) -> LoadedModel | None:
    """The loaded model of that name; Ollama adds a tag where none was given."""
    return next((each for each in loaded or () if each.name in (model, f"{model}:latest")), None)


def check_together(notes: Notes, executor: Wanted, secretary: Wanted) -> Iterator[Finding]:
    """Whether two models of one Ollama are both still loaded after both were asked; other servers do not tell."""
    if not all(wanted.spec.startswith("ollama:") for wanted in (executor, secretary)):
        return
    with _opened(secretary) as handle:
        facts = server_facts(handle, probe=False)
    if facts.loaded is not None and facts.problem is None:
        acting, noting = (wanted.spec.removeprefix("ollama:") for wanted in (executor, secretary))
        yield together_finding(notes, acting, noting, facts.loaded)


def together_finding(notes: Notes, executor: str, secretary: str, loaded: tuple[LoadedModel, ...]) -> Finding:
    """What it means that these are loaded after both models were asked."""
    values = {"executor": executor, "secretary": secretary}
    if all(loaded_as(name, loaded) for name in (executor, secretary)):
        return notes.make("together", Severity.OK, "together_ok", **values)
    return notes.make("together", Severity.WARNING, "together_not", cure="together_not_cure", **values)


def schema_finding(notes: Notes, mode: Structured) -> Finding:
    """How replies are held to a schema."""
    severity = {Structured.SCHEMA: Severity.OK, Structured.OBJECT: Severity.NOTE, Structured.TEXT: Severity.WARNING}
    cure = "schema_text_cure" if mode is Structured.TEXT else ""
    return notes.make("schema", severity[mode], f"schema_{mode}", cure=cure, mode=str(mode))


def speed_finding(notes: Notes, speed: Speed) -> Finding:
    """What a user has to expect of a step."""
    if speed.read is None or speed.written is None:
        return _paced(notes, "speed_whole", speed.seconds, seconds=round(speed.seconds, 1))
    step = STEP_PROMPT / speed.read + STEP_REPLY / speed.written
    return _paced(notes, "speed_ok", step, read=round(speed.read), written=round(speed.written), step=round(step))


def _paced(notes: Notes, key: str, step: float, /, **values: Any) -> Finding:
    """The finding about a speed at which a step takes so many seconds, with the cure where that is long."""
    if step < SLOW_STEP:
        return notes.make("speed", Severity.OK, key, **values)
    return notes.make("speed", Severity.WARNING, key, cure="speed_slow", **{"step": round(step)} | values)

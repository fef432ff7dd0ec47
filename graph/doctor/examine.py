"""The whole examination, in the order of its screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_secretary.graph.doctor.environment import environment_findings, read_environment
from memory_secretary.graph.doctor.finding import Check, Finding, Notes, examined
from memory_secretary.graph.doctor.memory import check_disk, check_embedder, check_folder, check_index, check_ledger
from memory_secretary.graph.doctor.models import Effort, check_model, check_together
from memory_secretary.graph.doctor.roles import Wanted, wanted_models
from memory_secretary.graph.doctor.versions import check_versions
from memory_secretary.graph.doctor.words import word
from memory_secretary.graph.words import Lang


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is examined.

    Attributes:
        executor: the executor's model, as ``build_graph`` takes it.
        secretary: the secretary's model; None means the executor's.
        embedder: as ``TieredMemory.open`` takes it.
        folder: the memory's folder.
        environ: the environment variables.
    """

    executor: str
    secretary: str | None
    embedder: str
    folder: Path
    environ: Mapping[str, str]


def examine(patient: Patient, effort: Effort, lang: Lang, tell: Callable[[str], None]) -> Iterator[Finding]:
    """Every finding, as soon as it is known.

    Args:
        patient: what is examined.
        effort: how much the models are asked.
        lang: the language of the findings.
        tell: told what is done next, before it begins.
    """
    for name, notes, check in _checks(patient, effort, lang, tell):
        tell(word(lang, "busy", name=word(lang, name)))
        yield from examined(name, check, notes)


def _checks(
    patient: Patient, effort: Effort, lang: Lang, tell: Callable[[str], None]
) -> Iterator[tuple[str, Notes, Check]]:
    notes = Notes(lang)
    environment = read_environment(patient.environ)
    yield "versions", notes, lambda: check_versions(notes)
    yield "settings", notes, lambda: environment_findings(notes, environment)
    acting, noting = wanted_models(patient.executor, patient.secretary, environment.settings)
    yield from _model_checks(acting, noting, effort, lang, tell)
    yield "embedder", notes, lambda: check_embedder(notes, patient.embedder, patient.folder, ask=effort.ask)
    yield "folder", notes, lambda: check_folder(notes, patient.folder)
    yield "disk", notes, lambda: check_disk(notes, patient.folder)
    yield "ledger", notes, lambda: check_ledger(notes, patient.folder)
    yield "index", notes, lambda: check_index(notes, patient.folder)


def _model_checks(
    acting: Wanted, noting: Wanted, effort: Effort, lang: Lang, tell: Callable[[str], None]
) -> Iterator[tuple[str, Notes, Check]]:
    """One look at a model that plays both roles; each and their living together where there are two."""
    executor = Notes(lang, role="" if acting == noting else "executor")
    yield "model", executor, lambda: check_model(executor, acting, effort, tell)
    if acting == noting:
        return
    secretary, both = Notes(lang, role="secretary"), Notes(lang)
    yield "model", secretary, lambda: check_model(secretary, noting, effort, tell)
    if effort.ask:
        yield "together", both, lambda: check_together(both, acting, noting)

"""Can every ``MEMORY_SECRETARY_*`` variable be read, and is each one known?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from memory_secretary.graph.doctor.finding import Finding, Notes, Severity
from memory_secretary.graph.settings import PREFIX, Settings, from_environment
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.program import VARIABLE

_NAMES = ("EXECUTOR", "SECRETARY", "TEACHER", "MEMORY", "EMBEDDER", "CACHE", "TRACE")
OTHERS = frozenset(f"{PREFIX}{name}" for name in _NAMES)
"""Variables of the command line that are no settings of a graph."""

SETTINGS = frozenset(f"{PREFIX}{entry.name.upper()}" for entry in fields(Settings))


@dataclass(frozen=True, slots=True)
class Environment:
    """What the variables come to.

    Attributes:
        settings: the defaults, changed by every variable that can be read.
        refused: why the others cannot, by variable.
        unknown: variables that mean nothing, each with the known one that comes nearest, or nothing.
        changed: how many settings the variables change.
    """

    settings: Settings
    refused: Mapping[str, SettingsError]
    unknown: Mapping[str, str]
    changed: int


def read_environment(environ: Mapping[str, str]) -> Environment:
    """Read the variables one by one, so that a broken one hides no other."""
    ours = {name: value for name, value in environ.items() if name.startswith(PREFIX) and value.strip()}
    ours.pop(VARIABLE, None)  # told by a script, not set by the user
    refused = {name: error for name in sorted(ours.keys() & SETTINGS) if (error := _refusal(name, ours[name]))}
    sound = {name: value for name, value in ours.items() if name in SETTINGS and name not in refused}
    unknown = {name: _nearest(name) for name in sorted(ours.keys() - SETTINGS - OTHERS)}
    return Environment(from_environment(sound), refused, unknown, len(sound))


def environment_findings(notes: Notes, found: Environment) -> Iterator[Finding]:
    """A fault for each variable that cannot be read, a warning for each that nobody knows."""
    for variable, error in found.refused.items():
        cure = notes.make("settings", Severity.FAULT, "variable_cure", variable=variable).sentence
        facts = {"variable": variable}
        yield Finding("settings", Severity.FAULT, error.sentence(notes.lang), cure, facts=facts)
    for variable, near in found.unknown.items():
        cure = "variable_near" if near else "variable_gone"
        yield notes.make("settings", Severity.WARNING, "variable_unknown", cure=cure, variable=variable, near=near)
    if not found.refused and not found.unknown:
        names = ("executor_window", "secretary_window")
        windows: dict[str, Any] = {name: getattr(found.settings, name) for name in names}
        key = "settings_changed" if found.changed else "settings_ok"
        yield notes.make("settings", Severity.OK, key, changed=found.changed, **windows)


def _refusal(name: str, value: str) -> SettingsError | None:
    try:
        from_environment({name: value})
    except SettingsError as error:
        return error
    return None


def _nearest(name: str) -> str:
    return next(iter(get_close_matches(name, SETTINGS | OTHERS, n=1)), "")

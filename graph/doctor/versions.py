"""Is everything that was installed new enough, and does it fit together?"""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata

from memory_secretary.graph.doctor.finding import Finding, Notes, Severity
from memory_secretary.memory.storage_errors import demand_sqlite

DISTRIBUTION = "memory-secretary"
SHOWN = ("langgraph", "langchain-core", "chromadb", "xllamacpp")
"""The libraries whose versions a report of a fault needs; all that are required are checked."""

Installed = Callable[[str], str | None]
"""Gives a package's version, None when it is not installed."""


def check_versions(notes: Notes) -> Iterator[Finding]:
    """Python, SQLite with its full-text search, and every library this package requires."""
    yield from sqlite_findings(notes, sqlite3.sqlite_version_info, has_fts5=has_fts5())
    wrong = list(package_findings(notes, metadata.requires(DISTRIBUTION) or (), installed))
    yield from wrong
    if not wrong:
        yield _all_fit(notes, installed)


def installed(package: str) -> str | None:
    """The version of an installed package, None when there is none."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def has_fts5() -> bool:
    """Whether this Python's SQLite has the full-text search that the ledger needs."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


def sqlite_findings(notes: Notes, version: tuple[int, ...], *, has_fts5: bool) -> Iterator[Finding]:
    """What is wrong with an SQLite.

    Raises:
        StorageError: it is too old.
    """
    demand_sqlite(version)
    if not has_fts5:
        shown = ".".join(map(str, version))
        yield notes.make("versions", Severity.FAULT, "fts5_missing", cure="fts5_missing_cure", sqlite=shown)


def package_findings(notes: Notes, requirements: Iterable[str], installed: Installed) -> Iterator[Finding]:
    """What is missing or does not fit; a package of an extra may be missing.

    Args:
        notes: makes the findings.
        requirements: as a distribution's metadata lists them.
        installed: gives the versions.
    """
    from packaging.requirements import Requirement

    for requirement in map(Requirement, requirements):
        always = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        wanted = always or requirement.name in SHOWN
        found = installed(requirement.name) if wanted else None
        facts = {"package": requirement.name, "requirement": f"{requirement.name}{requirement.specifier}"}
        if always and found is None:
            yield notes.make("versions", Severity.FAULT, "package_missing", cure="package_missing_cure", **facts)
        elif found is not None and not requirement.specifier.contains(found, prereleases=True):
            cure = "package_missing_cure"
            yield notes.make("versions", Severity.WARNING, "package_wrong", cure=cure, found=found, **facts)


def _all_fit(notes: Notes, installed: Installed) -> Finding:
    found = {"Python": platform.python_version(), "SQLite": sqlite3.sqlite_version}
    found |= {name: version for name in SHOWN if (version := installed(name))}
    shown = ", ".join(f"{name} {version}" for name, version in found.items())
    return Finding("versions", Severity.OK, shown, role=notes.role, facts=found)

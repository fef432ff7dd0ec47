"""Can the memory's folder be used, is what lies in it sound, and does the embedder work?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory_secretary.graph.doctor.finding import Finding, Notes, Severity
from memory_secretary.graph.doctor.words import size
from memory_secretary.memory import health
from memory_secretary.memory.embedders import Embedder, resolve_embedder
from memory_secretary.memory.errors import StorageError
from memory_secretary.memory.tiered import INDEX_FOLDER

LOW_DISK = 500_000_000
"""Bytes: a folder with less room left is warned about; a year of daily use and its index take a few hundred MB."""

_SENTENCE = "The kiln is fired on Thursday."


def check_folder(notes: Notes, folder: Path) -> Iterator[Finding]:
    """Whether the folder, or the one that it would be made in, takes a megabyte."""
    if folder.exists() and not folder.is_dir():
        yield notes.make("folder", Severity.FAULT, "folder_file", cure="folder_file_cure", folder=str(folder))
        return
    health.probe_folder(folder)
    yield notes.make("folder", Severity.OK, "folder_ok" if folder.is_dir() else "folder_new", folder=str(folder))


def check_disk(notes: Notes, folder: Path) -> Iterator[Finding]:
    """How much room is left."""
    yield disk_finding(notes, health.free_bytes(folder))


def disk_finding(notes: Notes, free: int) -> Finding:
    """What ``free`` bytes mean."""
    if free < LOW_DISK:
        return notes.make("disk", Severity.WARNING, "disk_low", cure="disk_low_cure", shown=size(free), bytes=free)
    return notes.make("disk", Severity.OK, "disk_ok", shown=size(free), bytes=free)


def check_ledger(notes: Notes, folder: Path) -> Iterator[Finding]:
    """Whether the ledger is sound, and what it holds."""
    yield from ledger_findings(notes, health.ledger_health(folder))


def ledger_findings(notes: Notes, found: health.LedgerHealth | None) -> Iterator[Finding]:
    """What a ledger's state means; None is a memory that does not exist yet."""
    if found is None:
        yield notes.make("ledger", Severity.OK, "ledger_none")
        return
    if found.damage:
        broken = "; ".join(found.damage[:3])
        yield notes.make("ledger", Severity.FAULT, "ledger_damaged", cure="ledger_damaged_cure", damage=broken)
        return
    counts: dict[str, Any] = {
        "events": found.events,
        "cards": found.cards,
        "pending": found.pending,
        "bytes": found.size,
    }
    yield notes.make("ledger", Severity.OK, "ledger_ok", shown=size(found.size), **counts)
    if found.pending:
        yield notes.make("ledger", Severity.NOTE, "ledger_pending", cure="ledger_pending_cure", pending=found.pending)
    if found.failed:
        yield notes.make("ledger", Severity.NOTE, "ledger_failed", cure="ledger_failed_cure", failed=found.failed)


def check_index(notes: Notes, folder: Path) -> Iterator[Finding]:
    """Whether the vector index is sound, who owns it, and what it still lacks."""
    index = folder / INDEX_FOLDER
    broken = health.index_damage(index)
    yield from index_findings(notes, broken, health.index_owner(index), _ledger_or_none(folder))


def index_findings(
    notes: Notes, broken: tuple[str, ...] | None, owner: health.Owner | None, ledger: health.LedgerHealth | None
) -> Iterator[Finding]:
    """What the index's state means.

    Args:
        notes: makes the findings.
        broken: what is damaged; None for an index that does not exist yet.
        owner: who has it open.
        ledger: what the ledger says of it.
    """
    waiting = ledger.waiting if ledger else 0
    if broken is None:
        yield notes.make("index", Severity.OK, "index_none", waiting=waiting)
    elif broken:
        damage = "; ".join(broken[:3])
        yield notes.make("index", Severity.FAULT, "index_damaged", cure="index_remake", damage=damage)
    else:
        yield notes.make("index", Severity.OK, "index_waiting" if waiting else "index_ok", waiting=waiting)
    if owner is not None:
        key = "index_owned_unknown" if owner.pid is None else "index_owned"
        yield notes.make("index", Severity.NOTE, key, pid=str(owner.pid))
    if ledger and ledger.without_vector:
        count = ledger.without_vector
        yield notes.make("index", Severity.NOTE, "index_lacking", cure="index_remake", without_vector=count)


def _ledger_or_none(folder: Path) -> health.LedgerHealth | None:
    """What the ledger says; a broken one has its own finding."""
    try:
        return health.ledger_health(folder)
    except StorageError:
        return None


def check_embedder(notes: Notes, spec: str, folder: Path, *, ask: bool) -> Iterator[Finding]:
    """Whether the embedder embeds, and is the one that the index was made with.

    Args:
        notes: makes the findings.
        spec: as ``TieredMemory.open`` takes it.
        folder: the memory's folder.
        ask: let it embed one sentence; without, a server is not asked.
    """
    embedder = resolve_embedder(spec)
    if embedder is None:
        yield notes.make("embedder", Severity.NOTE, "embedder_none")
        return
    ledger = _ledger_or_none(folder)
    made = ledger.embedder if ledger else None
    if made not in (None, embedder.name):
        facts = {"embedder": embedder.name, "made": made}
        yield notes.make("embedder", Severity.FAULT, "embedder_other", cure="embedder_other_cure", **facts)
    yield (
        _asked(notes, embedder)
        if ask
        else notes.make("embedder", Severity.OK, "embedder_unasked", embedder=embedder.name)
    )


def _asked(notes: Notes, embedder: Embedder) -> Finding:
    if embedder.embed_query(_SENTENCE) is None:
        cure = "embedder_useless_cure"
        return notes.make("embedder", Severity.FAULT, "embedder_useless", cure=cure, embedder=embedder.name)
    offline = embedder.name.startswith("embedded:")
    facts: dict[str, Any] = {"embedder": embedder.name, "dimension": embedder.dimension(), "offline": offline}
    return notes.make("embedder", Severity.OK, "embedder_offline" if offline else "embedder_ok", **facts)

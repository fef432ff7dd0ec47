"""Who may do what: one table, read by the views and checked again by the ledger."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """The parts that share a memory."""

    EXECUTOR = "executor"
    SECRETARY = "secretary"
    RETRIEVER = "retriever"
    PRECIPITATOR = "precipitator"
    CONSOLIDATOR = "consolidator"
    DISTILLER = "distiller"
    INSPECTOR = "inspector"
    USER = "user"


class Tier(StrEnum):
    """How settled a record is."""

    WORKING = "working"
    SHORT = "short"
    LONG = "long"


class Right(StrEnum):
    """What can be done to a tier."""

    READ = "read"
    WRITE = "write"
    """Create records, and edit those of this tier."""
    STATUS = "status"
    """Change status and weight only."""


_ALL = frozenset(Tier)
_NONE: frozenset[Tier] = frozenset()

READS: dict[Role, frozenset[Tier]] = {
    Role.EXECUTOR: frozenset({Tier.WORKING}),
    Role.SECRETARY: _ALL,
    Role.RETRIEVER: _ALL,
    Role.PRECIPITATOR: frozenset({Tier.WORKING, Tier.SHORT}),
    Role.CONSOLIDATOR: frozenset({Tier.SHORT, Tier.LONG}),
    Role.DISTILLER: frozenset({Tier.LONG}),
    Role.INSPECTOR: _ALL,
    Role.USER: _ALL,
}

WRITES: dict[Role, frozenset[Tier]] = {
    Role.EXECUTOR: frozenset({Tier.WORKING}),
    Role.SECRETARY: frozenset({Tier.WORKING}),
    Role.RETRIEVER: _NONE,
    Role.PRECIPITATOR: frozenset({Tier.SHORT}),
    Role.CONSOLIDATOR: frozenset({Tier.LONG}),
    Role.DISTILLER: frozenset({Tier.LONG}),
    Role.INSPECTOR: _NONE,
    Role.USER: frozenset({Tier.SHORT, Tier.LONG}),
}

STATUS_CHANGES: dict[Role, frozenset[Tier]] = {role: WRITES[role] for role in Role} | {
    Role.INSPECTOR: frozenset({Tier.SHORT, Tier.LONG}),
    Role.USER: frozenset({Tier.SHORT, Tier.LONG}),
}


def may(role: Role, right: Right, tier: Tier) -> bool:
    """Whether ``role`` has ``right`` on ``tier`` (design, section 4)."""
    table = {Right.READ: READS, Right.WRITE: WRITES, Right.STATUS: STATUS_CHANGES}[right]
    return tier in table[role]

"""The ledger's own check of rights: what a view would not offer is refused here too, and logged."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import func, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.codec import from_micros, to_micros
from memory_secretary.memory.database import Database
from memory_secretary.memory.errors import AccessDenied
from memory_secretary.memory.records import Denial
from memory_secretary.memory.roles import Right, Role, Tier, may
from memory_secretary.memory.schema import denials

ACTORS: Mapping[Role, frozenset[str]] = {
    Role.EXECUTOR: frozenset({"executor", "tool"}),
    Role.SECRETARY: frozenset({"user", "executor", "secretary", "tool"}),
}
"""In whose name a role may record events; roles that are not named here record none."""

QUEUE_READERS = frozenset({Role.SECRETARY, Role.RETRIEVER, Role.PRECIPITATOR, Role.INSPECTOR, Role.USER})
QUEUE_WRITERS = frozenset({Role.SECRETARY})
QUEUE_WORKERS = frozenset({Role.PRECIPITATOR})


class Gate:
    """Lets a caller through or logs the attempt and raises."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def demand(self, caller: Caller, right: Right, tier: Tier) -> None:
        """Pass when the caller's role has ``right`` on ``tier``.

        Raises:
            AccessDenied: otherwise, after the attempt was logged.
        """
        if not may(caller.role, right, tier):
            self.refuse(caller, right.value, tier)

    def demand_actor(self, caller: Caller, actor: str) -> None:
        """Pass when the caller's role may record events in the name of ``actor``.

        Raises:
            AccessDenied: otherwise, after the attempt was logged.
        """
        self.demand(caller, Right.WRITE, Tier.WORKING)
        if actor not in ACTORS.get(caller.role, frozenset()):
            self.refuse(caller, f"record as {actor[:40]!r}", Tier.WORKING)

    def demand_member(self, caller: Caller, roles: frozenset[Role], wanted: str, tier: Tier) -> None:
        """Pass when the caller's role is one of ``roles``.

        Raises:
            AccessDenied: otherwise, after the attempt was logged.
        """
        if caller.role not in roles:
            self.refuse(caller, wanted, tier)

    def refuse(self, caller: Caller, wanted: str, tier: Tier) -> None:
        """Log a denied attempt.

        Raises:
            AccessDenied: always.
        """
        self.log(caller, wanted, tier)
        msg = f"the {caller.role.value} may not {wanted} in the {tier.value} tier: use a view whose role may"
        zh = f"角色 {caller.role.value} 无权在 {tier.value} 层执行 {wanted}：请使用有此权限的角色的视图"
        raise AccessDenied(msg, zh=zh)

    def log(self, caller: Caller, wanted: str, tier: Tier) -> None:
        """Count a denied attempt; one to read is answered as if there were nothing, so that nothing leaks.

        In a ledger that is only read, nothing can be counted.
        """
        if self._database.read_only:
            return
        scope = caller.scope
        row = denials.insert().values(
            owner=caller.owner, user=scope.user, team=scope.team, agent=scope.agent, thread=scope.thread,
            role=caller.role.value, wanted=wanted, tier=tier.value, at=to_micros(self._clock()),
        )  # fmt: skip
        with self._database.write() as connection:
            connection.execute(row)

    def denied(self, owner: str, limit: int = 100) -> list[Denial]:
        """The newest denied attempts of an owner, newest first."""
        checks.whole(limit, "limit")
        query = select(denials).where(denials.c.owner == owner).order_by(denials.c.id.desc()).limit(limit)
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [Denial(role=row.role, wanted=row.wanted, tier=row.tier, at=from_micros(row.at)) for row in rows]

    def count_denied(self, owner: str) -> int:
        """How many attempts of an owner were denied."""
        query = select(func.count()).select_from(denials).where(denials.c.owner == owner)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

"""The ledger: the truth about everything that was recorded, in one database that several processes may use."""

from __future__ import annotations

from pathlib import Path

from memory_secretary.memory.benefits import Benefits
from memory_secretary.memory.cards import CardStore
from memory_secretary.memory.clock import Clock, IdSource
from memory_secretary.memory.database import Database
from memory_secretary.memory.events import EventLog
from memory_secretary.memory.forgetting_turns import TurnForgetting
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.indexing import Indexing
from memory_secretary.memory.lexical import Fts5Index
from memory_secretary.memory.queue import PrecipitationQueue
from memory_secretary.memory.tasks import TaskStates

LEDGER_FILE = "ledger.db"


class Ledger:
    """Opens the database once and hands out its parts; each part checks the caller's role again.

    Attributes:
        database: transactions.
        personal: whether personal data is masked before it is written.
        gate: the check of rights, and the log of denied attempts.
        indexing: the lexical index, and what the vector index has yet to do.
        events: the verbatim record.
        cards: atomic knowledge.
        benefits: what came of the runs that cards were recalled for.
        turns: forgetting what the user said by the turn itself.
        tasks: task states.
        queue: what waits to be precipitated.
    """

    def __init__(
        self, database: Database, *, clock: Clock, new_id: IdSource, zone: str, personal: bool = False
    ) -> None:
        self.database = database
        self.personal = personal
        self.gate = Gate(database, clock)
        self.indexing = Indexing(database, Fts5Index())
        self.events = EventLog(
            database, self.gate, self.indexing, clock=clock, new_id=new_id, zone=zone, personal=personal
        )
        self.cards = CardStore(
            database, self.gate, self.indexing, clock=clock, new_id=new_id, zone=zone, personal=personal
        )
        self.benefits = Benefits(database, self.gate, clock=clock)
        self.turns = TurnForgetting(database, self.gate, self.indexing, self.events, self.cards, clock=clock)
        self.tasks = TaskStates(database, self.gate, clock=clock, personal=personal)
        self.queue = PrecipitationQueue(database, self.gate, clock=clock, personal=personal)

    @classmethod
    def open(
        cls,
        folder: Path | None,
        url: str | None,
        *,
        clock: Clock,
        new_id: IdSource,
        zone: str,
        personal: bool = False,
        read_only: bool = False,
    ) -> Ledger:
        """Open or create a ledger.

        Args:
            folder: where its file lies, or None for one in memory.
            url: a SQLAlchemy URL instead of the file in ``folder``.
            clock: gives the present moment.
            new_id: gives fresh ids.
            zone: IANA zone of speakers whose own is not given.
            personal: mask personal data, too, before anything is written.
            read_only: open a file that is there as it is, and never write.

        Raises:
            StorageError: when the database cannot be opened.
        """
        if url is None:
            url = "sqlite://" if folder is None else f"sqlite:///{folder / LEDGER_FILE}"
        database = Database.open(url, read_only=read_only)
        return cls(database, clock=clock, new_id=new_id, zone=zone, personal=personal)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

"""The one thing a program opens: a memory with three tiers, views for roles, and the user's own operations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from memory_secretary.memory import benefits, checks, sessions, transfer, upkeep
from memory_secretary.memory.access import Caller
from memory_secretary.memory.background import BackgroundWork
from memory_secretary.memory.benefits import Use
from memory_secretary.memory.clock import Clock, IdSource, random_id, system_clock
from memory_secretary.memory.codec import member
from memory_secretary.memory.dense import DenseLeg, without_vectors
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.embedders import EXECUTOR, CheckedEmbedder, Embedder, resolve_embedder
from memory_secretary.memory.errors import (
    EmbedderError,
    EmbedderMismatch,
    IndexUnavailable,
    MemorySecretaryError,
    ModelError,
    SettingsError,
)
from memory_secretary.memory.forgetting import Erasable, Forgotten
from memory_secretary.memory.forgetting_turns import ForgottenTurn
from memory_secretary.memory.index_place import IndexPlace
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.recall import Recaller
from memory_secretary.memory.records import (
    CardVersion,
    Denial,
    Event,
    MemoryCard,
    MemoryType,
    Pending,
    Phase,
    Recalled,
    StoredTask,
)
from memory_secretary.memory.reembedding import PAUSE, Reembedding
from memory_secretary.memory.retention import Trimmed, trim_outputs
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.scoring import RecallWeights
from memory_secretary.memory.storage_errors import only_read
from memory_secretary.memory.views import (
    VIEWS,
    ConsolidatorView,
    DistillerView,
    ExecutorView,
    InspectorView,
    PrecipitatorView,
    RetrieverView,
    SecretaryView,
    UserView,
)
from memory_secretary.memory.why import Why

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

IN_MEMORY = ":memory:"
INDEX_FOLDER = "index"


class TieredMemory:
    """Working, short-term and long-term memory in one folder, for any number of users, threads and processes.

    Attributes:
        notices: what the memory could not do as asked (e.g. search without vectors), each said once;
            ``sentence("zh")`` says it in Chinese.
    """

    def __init__(
        self, ledger: Ledger, dense: DenseLeg, place: IndexPlace, *, clock: Clock, weights: RecallWeights
    ) -> None:
        self.notices: list[MemorySecretaryError] = dense.notices
        self._embedder = ""
        self._process = os.getpid()
        self._ledger = ledger
        self._dense = dense
        self._place = place
        self._clock = clock
        self._reembedding: BackgroundWork | None = None
        self._recaller = Recaller(ledger.database, ledger.indexing.lexical, dense, clock=clock, weights=weights)

    @classmethod
    def open(
        cls,
        path: str | Path,
        embedder: str | Embeddings | None = "embedded",
        ledger_url: str | None = None,
        chroma_url: str | None = None,
        *,
        clock: Clock = system_clock,
        new_id: IdSource = random_id,
        zone: str = "UTC",
        weights: RecallWeights | None = None,
        reembed: bool = False,
        mask_personal: bool = False,
        read_only: bool = False,
    ) -> TieredMemory:
        """Open or create a memory. Neither embedder nor vector index is loaded before the first search needs them.

        Args:
            path: a folder, or ``":memory:"``.
            embedder: ``"embedded"``, ``"ollama:<model>"``, ``"openai:<model>"``, any LangChain ``Embeddings``;
                ``"executor"`` (the executor's own model, once ``build_graph`` has it), ``"none"`` or None search by
                words until :meth:`use_embedder` is called.
            ledger_url: a SQLAlchemy URL; None for SQLite inside ``path``.
            chroma_url: a Chroma server; None for a persistent one inside ``path``.
            clock: gives the present moment.
            new_id: gives fresh ids.
            zone: IANA zone of speakers whose own is not given.
            weights: the numbers of recall; None for the defaults.
            reembed: take this embedder although the index was made with another, and embed everything anew before
                this returns; stopped half-way, the next time goes on from there. :meth:`reembed` does so behind a
                memory that is at work.
            mask_personal: mask e-mail addresses, telephone, identity, bank and card numbers, too, before anything is
                written; keys and passwords are masked in any case.
            read_only: read a memory that is there, where nothing may be written: searched by words alone, no file is
                made or changed, and what would write is refused.

        Raises:
            EmbedderMismatch: the index was made with another embedder.
            SettingsError: there is no such embedder.
            StorageError: the folder cannot be used; the sentence says why.
        """
        folder = None if str(path) == IN_MEMORY else Path(path).expanduser()
        ledger = Ledger.open(
            folder, ledger_url, clock=clock, new_id=new_id, zone=zone, personal=mask_personal, read_only=read_only
        )
        try:
            index = None if folder is None else folder / INDEX_FOLDER
            place = IndexPlace(ledger.indexing, index, chroma_url)
            dense = DenseLeg(ledger, clock=clock, embedder=None, folder=index, url=chroma_url, open_index=place.open)
            memory = cls(ledger, dense, place, clock=clock, weights=weights or RecallWeights())
            if read_only:
                memory.notices.append(only_read(path))
            else:
                memory._choose(embedder, reembed=reembed)
        except BaseException:
            ledger.close()
            raise
        return memory

    # --- views -------------------------------------------------------------------------------------------------

    @overload
    def view(self, role: Literal[Role.EXECUTOR], scope: Scope) -> ExecutorView: ...
    @overload
    def view(self, role: Literal[Role.SECRETARY], scope: Scope) -> SecretaryView: ...
    @overload
    def view(self, role: Literal[Role.RETRIEVER], scope: Scope) -> RetrieverView: ...
    @overload
    def view(self, role: Literal[Role.PRECIPITATOR], scope: Scope) -> PrecipitatorView: ...
    @overload
    def view(self, role: Literal[Role.CONSOLIDATOR], scope: Scope) -> ConsolidatorView: ...
    @overload
    def view(self, role: Literal[Role.DISTILLER], scope: Scope) -> DistillerView: ...
    @overload
    def view(self, role: Literal[Role.INSPECTOR], scope: Scope) -> InspectorView: ...
    @overload
    def view(self, role: Literal[Role.USER], scope: Scope) -> UserView: ...
    def view(self, role: Role, scope: Scope) -> Any:
        """What a role may do with the memory of ``scope``, and nothing else."""
        return VIEWS[member(Role, role, "role")](self._ledger, self._recaller, scope)

    # --- events ------------------------------------------------------------------------------------------------

    def record(
        self,
        scope: Scope,
        *,
        actor: str,
        action: str,
        arguments: dict[str, Any] | None = None,
        observation: str = "",
        at: datetime | None = None,
        zone: str | None = None,
        parent: str | None = None,
        thought: str = "",
        step: int = 0,
        phase: Phase | None = None,
        idempotency_key: str | None = None,
    ) -> str:
        """Append an event to the verbatim record.

        Args:
            scope: whose it is, and in which thread.
            actor: ``user``, ``executor``, ``secretary`` or ``tool``.
            action: what was done: e.g. ``request``, ``answer``, or a tool's name.
            arguments: a tool's arguments: JSON data, which may hold moments and days.
            observation: the full text, of any size.
            at: when it happened (aware); None for now.
            zone: the speaker's IANA zone; None for that of ``at``, or the memory's.
            parent: the event before it; None for the newest of the thread.
            thought: the reason, word for word.
            step: a run's step counter.
            phase: for tool calls.
            idempotency_key: a second write with the same key returns the first one's id.

        Returns:
            The event's id.

        Raises:
            InvalidRecord: a field cannot be stored; the sentence names it.
            NotFound: ``parent`` is no event of this owner.
        """
        event = self.view(Role.SECRETARY, scope).record(
            actor, action, observation=observation, arguments=arguments, thought=thought, phase=phase, step=step,
            parent=parent or self._ledger.events.newest_of(scope), at=at, zone=zone, idempotency_key=idempotency_key,
        )  # fmt: skip
        return event.event_id

    def read(self, scope: Scope, event_id: str, start: int = 0, length: int = 2000) -> str:
        """Characters ``start`` to ``start + length`` of an event's observation, exactly as it came.

        Raises:
            NotFound: there is no such event in this scope.
        """
        return self.view(Role.USER, scope).read(event_id, start, length)

    def events(self, scope: Scope, *, head: str | None = None, limit: int | None = None) -> builtins.list[Event]:
        """The newest events of the scope's thread, oldest first; with ``head`` only its branch."""
        return self.view(Role.USER, scope).events(head=head, limit=limit)

    def open_tasks(self, scope: Scope, limit: int = 20) -> builtins.list[StoredTask]:
        """Unfinished tasks of the owner's threads, newest first."""
        return self.view(Role.SECRETARY, scope).open_tasks(limit)

    # --- cards: as the user ------------------------------------------------------------------------------------

    def remember(
        self,
        scope: Scope,
        content: str,
        *,
        type: MemoryType = MemoryType.FACT,
        tier: Tier = Tier.SHORT,
        access_level: str | Sequence[str] = "all",
        applies_to: Sequence[str] = (),
        related_ids: Sequence[str] = (),
        supersedes: Sequence[str] = (),
        subject: str = "",
        attribute: str = "",
        value: str = "",
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        at: datetime | None = None,
        zone: str | None = None,
        idempotency_key: str | None = None,
    ) -> MemoryCard:
        """Write a card in the user's name; saying the same again gives the same card.

        Args:
            scope: whose it is.
            content: one piece of knowledge, in one sentence.
            type: what kind of knowledge.
            tier: short (the default) or long.
            access_level: ``all``, ``team``, ``private``, or names of agents.
            applies_to: situations that it is for, in words; one text stands for a list of one, here and below.
            related_ids: cards that belong to it.
            supersedes: cards that it replaces at once.
            subject: what it is about, e.g. ``user``.
            attribute: which property, e.g. ``bank``.
            value: the property's value; another value for the same property is a contradiction.
            valid_from: not valid before (aware).
            valid_until: not valid after (aware).
            at: when it was said (aware); None for now.
            zone: the speaker's IANA zone.
            idempotency_key: a second write with the same key returns the first one's card.

        Raises:
            AccessDenied: the working tier was asked for.
            InvalidRecord: a field is unusable; the sentence names it.
            ScopeError: ``scope`` is no :class:`Scope`.
        """
        draft = CardDraft(
            content=content, type=type, tier=tier, access_level=access_level, applies_to=applies_to,
            related_ids=related_ids, supersedes=supersedes, subject=subject, attribute=attribute, value=value,
            valid_from=valid_from, valid_until=valid_until, at=at, zone=zone, idempotency_key=idempotency_key,
        )  # fmt: skip
        return self.view(Role.USER, scope).remember(draft)

    def recall(
        self, scope: Scope, query: str, k: int = 5, head: str | None = None, **filters: Any
    ) -> builtins.list[Recalled]:
        """The records that matter for a query, best first; ``filters`` are those of the views' ``recall``.

        They are ``mode``, ``tiers``, ``types``, ``thread``, ``since``, ``until``, ``status``, ``floor``, ``exclude``.
        """
        view = self.view(Role.USER, scope)
        return view.recall(query, k, head, **checks.filters(filters, view.recall, after=3))

    def why(self, scope: Scope, query: str, *, expect: str, k: int = 5, head: str | None = None, **filters: Any) -> Why:
        """Say why a memory is or is not among the hits of a recall with the same arguments."""
        view = self.view(Role.USER, scope)
        return view.why(query, expect, k, head, **checks.filters(filters, view.recall, after=3))

    def list(self, scope: Scope, **filters: Any) -> builtins.list[MemoryCard]:
        """The owner's cards, newest first; ``filters`` are ``types``, ``tiers``, ``status`` and ``limit``."""
        view = self.view(Role.USER, scope)
        return view.cards(**checks.filters(filters, view.cards))

    def edit(self, scope: Scope, memory_id: str, *, expected_version: int | None = None, **changes: Any) -> MemoryCard:
        """Write a new version of a card.

        Args:
            scope: whose it is.
            memory_id: the card.
            expected_version: the version that was read; None takes whatever is current.
            changes: new values by field, e.g. ``content="…"``.

        Raises:
            NotFound: there is no such card in this scope.
            VersionConflict: the card has another version by now.
        """
        return self.view(Role.USER, scope).edit(memory_id, changes, expected_version=expected_version)

    def history(self, scope: Scope, memory_id: str) -> builtins.list[CardVersion]:
        """Every version of a card, oldest first, with who wrote it and why."""
        return self.view(Role.USER, scope).history(memory_id)

    def uses(self, scope: Scope) -> dict[str, Use]:
        """In how many runs each card was recalled and cited, and how those ended; under the empty id all runs.

        A long card counts for the short ones that it was made of, too.
        """
        return benefits.summed(self.list(scope), self.view(Role.USER, scope).uses())

    def forget(self, scope: Scope, memory_id: str, *, expected_version: int | None = None) -> Forgotten:
        """Take a card, whatever says the same in another tier, and the turns it came from out of every search.

        Nothing that was said before makes it a card again, only the user's saying it anew. Its words stay on the
        disk, for :meth:`restore`, until :meth:`vacuum`; LangGraph's checkpoints are not touched.

        Args:
            scope: whose it is.
            memory_id: the card.
            expected_version: the version that was read; None takes whatever is current.

        Returns:
            What was taken out, and what stays until then.

        Raises:
            NotFound: there is no such card in this scope.
            VersionConflict: the card has another version by now.
        """
        done = self.view(Role.USER, scope).forget(memory_id, expected_version=expected_version)
        self._dense.clear_removed(scope.owner)
        return done

    def would_forget(self, scope: Scope, memory_id: str) -> Forgotten:
        """What :meth:`forget` would take out; nothing is changed.

        Raises:
            NotFound: there is no such card in this scope.
        """
        return self.view(Role.USER, scope).would_forget(memory_id)

    def forget_turn(self, scope: Scope, event_id: str) -> ForgottenTurn:
        """Take what the user said, its answer, and the cards made of it alone out of every search and off the queue.

        So a wish to remember is taken back that is no card yet. Nothing is learned of these words again, only of the
        user's saying them anew. They stay on the disk, for :meth:`restore_turn`, until :meth:`vacuum`.

        Args:
            scope: whose it is.
            event_id: the turn.

        Raises:
            InvalidRecord: the user did not say it.
            NotFound: there is no such event in this scope.
        """
        done = self.view(Role.USER, scope).forget_turn(event_id)
        self._dense.clear_removed(scope.owner)
        return done

    def would_forget_turn(self, scope: Scope, event_id: str) -> ForgottenTurn:
        """What :meth:`forget_turn` would take out; nothing is changed; errors as for that."""
        return self.view(Role.USER, scope).would_forget_turn(event_id)

    def restore_turn(self, scope: Scope, event_id: str) -> Event:
        """Let searches and briefs have a forgotten turn again, with what went with it; a wish waits again.

        Cards that were forgotten with it are restored by their own ids.

        Args:
            scope: whose it is.
            event_id: the turn.

        Raises:
            InvalidRecord: the user did not say it.
            NotFound: there is no such event in this scope, or a vacuum has erased its words.
        """
        return self.view(Role.USER, scope).restore_turn(event_id)

    def restore(
        self, scope: Scope, memory_id: str, version: int | None = None, *, expected_version: int | None = None
    ) -> MemoryCard:
        """Make a card current again, as it is or with the words of an earlier version.

        Args:
            scope: whose it is.
            memory_id: the card.
            version: the version whose words to take; None for the present ones.
            expected_version: the version that was read; None takes whatever is current.

        Raises:
            NotFound: there is no such card in this scope, or no such version of it.
            VersionConflict: the card has another version by now.
        """
        return self.view(Role.USER, scope).restore(memory_id, version, expected_version=expected_version)

    def pending(self, scope: Scope) -> builtins.list[Pending]:
        """What waits to be precipitated into cards, oldest first."""
        return self.view(Role.USER, scope).pending()

    def denied(self, scope: Scope, limit: int = 100) -> builtins.list[Denial]:
        """The newest attempts in this owner's memory that a role had no right to, newest first."""
        return self.view(Role.USER, scope).denied(limit)

    def count_denied(self, scope: Scope) -> int:
        """How many attempts in this owner's memory were denied."""
        return self._ledger.gate.count_denied(Caller(Role.USER, scope).owner)

    # --- upkeep ------------------------------------------------------------------------------------------------

    def close_session(self, scope: Scope) -> Pending | None:
        """Put what was said in the scope's thread since the last time on the precipitation queue.

        Returns:
            The queue entry, or None when nothing new was said.
        """
        return sessions.close_session(self.view(Role.SECRETARY, scope))

    def close_idle_sessions(self, scope: Scope, *, idle: timedelta = sessions.IDLE) -> builtins.list[Pending]:
        """As :meth:`close_session`, in every thread of the owner's in which nothing has happened for a while.

        Args:
            scope: whose.
            idle: how long; half an hour by default.

        Returns:
            The new queue entries.
        """
        before = self._clock() - idle
        return sessions.close_idle(lambda one: self.view(Role.SECRETARY, one), scope, before=before)

    def export(self, scope: Scope, path: str | Path) -> int:
        """Write the owner's events and cards (every version) as JSON lines; returns the number of lines.

        Raises:
            StorageError: there is such a file already, or it cannot be written; then nothing is left of it.
        """
        return transfer.export(self._ledger, Caller(Role.USER, scope), Path(path))

    def import_(self, scope: Scope, path: str | Path, *, zone: str = "UTC") -> transfer.Imported:
        """Take in what :meth:`export` wrote, or cards in the public eight-field form (one, a list, or lines).

        All of it is taken in or nothing, in one transaction; other writers wait meanwhile.

        Args:
            scope: whose they become.
            path: the file, in UTF-8.
            zone: IANA zone of a card's times that have none; those of events must have theirs.

        Raises:
            InvalidRecord: the file is not JSON, or a record is unusable; the sentence names line and field.
            StorageError: the file cannot be read.
        """
        return transfer.import_(self._ledger, Caller(Role.USER, scope), Path(path), zone)

    def use_embedder(self, embedder: str | Embeddings | CheckedEmbedder) -> None:
        """Search with this embedder from now on, where none was chosen at opening.

        Raises:
            EmbedderMismatch: the index was made with another embedder.
            SettingsError: there is no such embedder.
        """
        self._choose(embedder, reembed=False)
        self._recaller.forget_answers()

    @property
    def embedder(self) -> str:
        """Which embedder is used, by its full name; ``executor`` while one is awaited, empty for none."""
        return self._embedder

    @property
    def weights(self) -> RecallWeights:
        """The numbers of recall."""
        return self._recaller.weights

    def _choose(self, chosen: str | Embeddings | CheckedEmbedder | None, *, reembed: bool) -> None:
        """Take an embedder; only the one that comes with the package may be missing."""
        try:
            embedder = resolve_embedder(chosen)
        except SettingsError as error:
            if chosen != "embedded":
                raise
            self.notices.append(without_vectors(error))
            return
        if embedder is not None and not reembed:
            self._check_embedder(embedder)
        self._embedder = embedder.name if embedder else EXECUTOR if chosen == EXECUTOR else ""
        self._dense.use(embedder)
        if embedder is not None and reembed:
            self._embed_anew(embedder)

    def _embed_anew(self, embedder: Embedder) -> None:
        """Fill a new index and let it take the old one's place; what cannot be filled is made from nothing."""
        if self._ledger.indexing.embedder() in (None, embedder.name) or self._place.in_memory:
            self.reindex()
            return
        upkeep.check(self._ledger)
        job = Reembedding(self._ledger, embedder)
        try:
            self._place.fill_alone(job)
        except IndexUnavailable:
            self.reindex()
            return
        job.switch()
        self._dense.use(embedder)

    def reembed(self, embedder: str | Embeddings | CheckedEmbedder) -> None:
        """Embed everything anew with another embedder, in the background; returns at once.

        Until all is done the present embedder goes on answering, then the new one takes its place at once. A process
        that ends before leaves what it has done; calling this again goes on from there.

        Args:
            embedder: the new one, as in :meth:`open`.

        Raises:
            SettingsError: there is no such embedder.
        """
        chosen = resolve_embedder(embedder)
        if chosen is None:
            msg = f"embedder {embedder!r} makes no vectors: name one such as 'embedded' or 'ollama:bge-m3'"
            raise SettingsError(msg, zh=f"嵌入模型 {embedder!r} 不产生向量：请写明例如 'embedded' 或 'ollama:bge-m3'")
        self._stop_reembedding()
        if self._ledger.indexing.embedder() in (None, chosen.name) or self._place.in_memory:
            self._choose(embedder, reembed=True)
            return
        job = Reembedding(self._ledger, chosen)
        job.begin()
        self._reembedding = BackgroundWork(lambda: self._reembed_some(job), "memory-reembedding", pause=PAUSE)
        self._reembedding.start()

    def _reembed_some(self, job: Reembedding) -> bool:
        """One piece of the work; whether more is left."""
        self._dense.catch_up("", largest=0)  # opens the index, where that has not happened yet
        try:
            if self._place.fill_beside(job):
                return True
        except (IndexUnavailable, ModelError, EmbedderError, EmbedderMismatch) as error:
            self.notices.append(error)
            return False
        if not job.switch():
            return True
        self._dense.use(job.embedder)
        self._embedder = job.embedder.name
        self._recaller.forget_answers()
        return False

    def _stop_reembedding(self) -> None:
        if self._reembedding is not None:
            self._reembedding.stop()

    def _check_embedder(self, embedder: Embedder) -> None:
        """Where the sizes are not known yet, the first vector shows whether they are the same."""
        made = (self._ledger.indexing.embedder(), self._ledger.indexing.dimension())
        now = (embedder.name, embedder.known_dimension)
        if made[0] is not None and (made[0] != now[0] or (None not in (made[1], now[1]) and made[1] != now[1])):
            raise EmbedderMismatch.between(made, now)

    def reindex(self) -> int:
        """Make both indexes again from the ledger, with the present embedder; returns the number of records."""
        taken = upkeep.reindex(self._ledger, self._dense)
        self._recaller.forget_answers()
        return taken

    def check(self) -> upkeep.CheckReport:
        """Look for damage, and for records that an index lacks, has too much or cannot reach, and repair that.

        The vector index is looked at where there is one and this process can have it. What it lacks waits for the
        next search like what is new; texts that got no vector are tried once more, in plain words, too.
        """
        report = upkeep.check(self._ledger, self._dense, self._place)
        self._recaller.forget_answers()
        return report

    def backup(self, path: str | Path) -> Path:
        """Copy the ledger, as it is now, into a folder that :meth:`open` takes; the index is made again there.

        Raises:
            StorageError: the folder holds a ledger already, or cannot be written.
        """
        return upkeep.backup(self._ledger, Path(path))

    def trim_outputs(self, *, older_than: timedelta, larger_than: int = 20_000) -> Trimmed:
        """Shorten old, large outputs of tools, of all owners, to their beginning and end; nothing does so by itself.

        What a card gives as its evidence stays whole, and so does everything in a thread with an open task.
        :meth:`vacuum` gives the space back to the disk.

        Args:
            older_than: an output that came earlier than so long ago is old.
            larger_than: an output of more characters than this is large; at least 2,000.

        Raises:
            InvalidRecord: a limit is out of range.
        """
        return trim_outputs(self._ledger, older_than=older_than, larger_than=larger_than, now=self._clock())

    def vacuum(self) -> upkeep.Vacuumed:
        """Erase what was forgotten, of all owners, for good and give its space back to the disk.

        Returns:
            What was erased, and the ledger's bytes before and after.
        """
        return upkeep.vacuum(self._ledger)

    def would_vacuum(self) -> Erasable:
        """How much :meth:`vacuum` would erase; nothing is changed."""
        return upkeep.would_vacuum(self._ledger)

    def warm_up(self) -> None:
        """Load the embedder and the index in the background, so that the first recall need not wait.

        Does nothing for a memory in which nothing was ever searched by meaning.
        """
        self._dense.warm_up()

    def close(self) -> None:
        """Let go of files and locks. Nothing is lost without it.

        A closed memory, and one that was opened before this process was forked (where closing does nothing), raises
        :class:`StorageError` wherever it is used.
        """
        if self._process != os.getpid():
            return
        self._stop_reembedding()
        self._recaller.close()
        self._dense.close()
        self._ledger.close()

    def __enter__(self) -> TieredMemory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

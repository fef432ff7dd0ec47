"""The ``retrieve`` node: what memory holds for the coming step."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import NotFound, ScopeError, SettingsError
from memory_secretary.memory.excerpts import telling_part
from memory_secretary.memory.injection import memory_line
from memory_secretary.memory.lexical import tokens
from memory_secretary.memory.masking import mask
from memory_secretary.memory.periods import months_in
from memory_secretary.memory.records import TO_BE_REMEMBERED, Action, Event, MemoryType, Recalled, Status, short_ref
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, open_items, whole_goal
from memory_secretary.memory.tokens import clip, estimate_tokens
from memory_secretary.memory.views import RetrieverView, SecretaryView
from memory_secretary.nodes.constraints import asks_to_remember, constraints_in
from memory_secretary.nodes.methods.apply import KnownMethod, applicable
from memory_secretary.nodes.noting import AGGREGATE_ZH
from memory_secretary.nodes.of_oneself import asks_of_oneself
from memory_secretary.nodes.own_words import unfit
from memory_secretary.nodes.passages import passages
from memory_secretary.nodes.run import Run, RunSource, Timer, timed
from memory_secretary.nodes.sayings import shared_words
from memory_secretary.nodes.state import RecalledMemory, State, is_kept, quoted, spent_so_far
from memory_secretary.nodes.tracing import traced_recall
from memory_secretary.nodes.turns import step_of, turn_of

_STANDING = (MemoryType.PREFERENCE, MemoryType.RULE, MemoryType.CONSTRAINT)
_STANDING_SHOWN = 5
_ORDER = re.compile(
    r"\b(?:i|we) (?:need|want)\b|\b(?:i|we)(?:['’]d| would) like\b|我们?(?:需要|想要|要)", re.IGNORECASE
)
"""What is wanted is no news of the one who wants it."""
_BACK = re.compile(
    r"\byou (?:\w+ ){0,2}?(?:found|find|saw|read|said|say|told|tell|opened|looked|did|answered|mentioned|noted)\b"
    r"|\bwe (?:\w+ )?(?:talked|spoke|discussed|found)\b|\bi (?:\w+ )?(?:asked|told|said|mentioned)\b"
    r"|\b(?:last time|earlier|previously|remember)\b"
    r"|上次|上回|刚才|刚刚|先前|还记得|你(?:们)?(?:\S{0,4})(?:查|找|读|看|说|告诉|提)[到过]|我(?:\S{0,4})(?:问|说|提)[到过]",
    re.IGNORECASE,
)
"""Speaks of what was done or said before."""
_LINE_TOKENS = 80
"""Tokens of one recalled memory in a brief."""
_LEAST_STEPS = 4
"""Supersteps from here to an answer at least: retrieve, summarize, plan, precipitate."""
_SPOKEN_OF = 0.5
"""Evidence, 0..1, from which a query speaks of an old text: the half of what the query tells."""
_OF_ONESELF = 0.2
"""The same for users' words about themselves: most of such a question are words that ask (什么, 哪里)."""
_LOOKED_AT = 4
"""Hits looked at for each that is shown: what a tool said in another thread mostly may not stand in the brief."""
_NEWEST = 400
"""Characters of the newest observation that join the query."""


class Retrieve:
    """Recalls with a query made of the goal, the first open item and the newest observation.

    A turn's first step searches by meaning and by words; later steps search by words alone, which costs no embedding:
    what this run has seen is in its task state already, and the executor can ask with the ``recall`` tool.

    Args:
        view: gives the retriever's view of a scope.
        run: settles options and scope.
        timer: the clock that the node is timed with.
        looks_up: whether the executor looks things up with the user's tools; it is shown less of old turns then.
        tools: names of the user's tools; a method fits a task that has all of its tools.
    """

    def __init__(
        self,
        view: Callable[[Scope], RetrieverView],
        run: RunSource,
        timer: Timer,
        *,
        looks_up: bool,
        tools: Collection[str] = (),
    ):
        self._view = view
        self._looks_up = looks_up
        self._run = run
        self._timer = timer
        self._tools = tools

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """Search, and report how much was found.

        Raises:
            InvalidRecord: something was handed in and there are no words of a user in it.
            ScopeError: the thread's checkpoint is another user's.
            SettingsError: the caller's recursion limit is too small for any answer.
        """
        started = self._timer()
        _check_limit(state)
        run = self._run(runtime, config)
        _check_owner(state, self._view(run.scope))
        recalled = self._recalled(state, run) if run.options.recall else []
        methods = self._methods(state, run) if run.options.methods else []
        figures = spent_so_far(state)
        run.trace(memories=recalled, **({"methods": methods} if methods else {}), **_beginning(state, run))
        seconds = self._timer() - started
        run.write({"node": "retrieve", "step": step_of(state), "seconds": round(seconds, 3), "recalled": len(recalled)})
        update = {
            "recalled": recalled,
            "figures": {**figures, "seconds": timed(figures["seconds"], "retrieve", seconds)},
        }
        return {**update, "methods": methods} if run.options.methods else update

    def _recalled(self, state: State, run: Run) -> list[RecalledMemory]:
        """What is kept of the user, then what was found."""
        view, query = self._view(run.scope), query_of(state, state.get("task_state"), "")
        found = self._search(state, run)
        refs = {hit.ref for hit in found}
        with speaking(run.lang(query.partition("\n")[0])):  # what follows the goal are calls, in no language
            show = partial(shown, zone=run.options.zone, query=query)
            before = wishes_before(state)
            wishes = list(map(show, wished(view, query))) if before is None else _still_kept(view, before)
            kept = [*map(show, standing(view, refs)), *(wish for wish in wishes if wish["ref"] not in refs)]
            return [*kept, *map(show, found)]

    def _methods(self, state: State, run: Run) -> list[KnownMethod]:
        """How tasks of the kind of the present one are done."""
        turn, task = turn_of(state), state.get("task_state")
        said = [whole_goal(task)] if task and not (turn and task["finished"]) else []
        goal = mask("\n".join([*said, *([turn.text] if turn else [])]))
        return applicable(self._view(run.scope).cards([MemoryType.METHOD]), goal, self._tools)

    def _search(self, state: State, run: Run) -> Sequence[Recalled]:
        view = self._view(run.scope)
        task = state.get("task_state")
        first = turn_of(state) is not None
        newest = view.read(state["latest"], 0, _NEWEST) if state.get("latest") and not first else ""
        query = query_of(state, task, newest)
        if not query:
            return []
        shown_anyway = None if task and task["finished"] else task  # the coming turn begins a task of its own
        known = refs_of(shown_anyway) | ({state["latest"]} if state.get("latest") else set())
        if first and not view.recall(query, 1, mode="recent", exclude=known):
            return []  # an empty memory costs no embedding
        mode = "hybrid" if first else "lexical"
        head = state.get("head") or ("" if run.rewound else None)
        wanted = run.options.recall_k
        began = None if first or task is None else view.event(task["goal_ref"]).at

        def search() -> list[Recalled]:
            found = view.recall(query, wanted * _LOOKED_AT, head=head, mode=mode, exclude=known)
            found = may_stand(found, run.scope.thread)
            found = [hit for hit in found if not repeats(hit, query)]
            if self._looks_up:
                own = run.scope.thread
                found = [h for h in found if bears_on(h, query, thread=own, earlier=began is None or h.at < began)]
            return [hit for hit in found if not of_another_month(hit, query)][:wanted]

        return traced_recall(run.config, query, search)


def _beginning(state: State, run: Run) -> dict[str, Any]:
    """What a trace says of the run: whose it is, its words and the settings that are not the default; once a turn."""
    turn = turn_of(state)
    if turn is None:
        return {}
    values = ((entry, getattr(run.options, entry.name)) for entry in fields(run.options))
    changed = {entry.name: value for entry, value in values if value != entry.default}
    return {"owner": run.scope.owner, "request": mask(turn.text), "settings": changed}


def _check_limit(state: State) -> None:
    if state.get("remaining_steps", _LEAST_STEPS) < _LEAST_STEPS:
        msg = "recursion_limit is too small for a single step: set it to 5 at least, 4 for each step and 1 for the end"
        raise SettingsError(msg, zh="recursion_limit 太小，连一步也走不完：至少设为 5，每一步 4，结束 1")


def _check_owner(state: State, view: RetrieverView) -> None:
    head = state.get("head")
    try:
        if head:
            view.read(head, 0, 0)
    except NotFound as error:
        thread = view.scope.thread
        msg = (
            f"thread {thread!r} was begun by another user or with another memory: take another thread_id, "
            "or the user and the memory that it was begun with"
        )
        zh = f"线程 {thread!r} 是由别的用户或用别的记忆开始的：请换一个 thread_id，或使用开始它的用户和记忆"
        raise ScopeError(msg, zh=zh) from error


def query_of(state: State, task: TaskState | None, newest: str) -> str:
    """What to search for: the user's words, then the first open item, then the newest observation's beginning."""
    turn = turn_of(state)
    if turn is not None:
        return mask(turn.text)
    waiting = open_items(task) if task else []
    parts = [task["goal"] if task else "", waiting[0]["text"] if waiting else "", newest]
    return mask("\n".join(part for part in parts if part))


def refs_of(task: TaskState | None) -> set[str]:
    """The events that the task state shows already."""
    if task is None:
        return set()
    return {task["goal_ref"]} | {item["evidence"] for item in task["items"] if item["evidence"]}


def standing(view: RetrieverView | SecretaryView, found: Collection[str]) -> list[Recalled]:
    """The newest preferences, rules and constraints that were not found already: they hold whatever is asked."""
    cards = view.cards(types=_STANDING, limit=_STANDING_SHOWN)
    return [
        Recalled(
            ref=card.memory_id, source="card", text=card.content, score=1.0, at=card.at, status=card.status,
            type=card.type, label=card.source_agent, thread=card.scope.thread,
        )
        for card in cards
        if card.memory_id not in found
    ]  # fmt: skip


def wishes_before(state: State) -> list[RecalledMemory] | None:
    """The wishes that the step before had; None where the user's newest words may hold others."""
    if turn_of(state) is not None or "recalled" not in state:
        return None
    return [memory for memory in state["recalled"] if memory["label"] == TO_BE_REMEMBERED]


def _still_kept(view: RetrieverView, memories: Sequence[RecalledMemory]) -> list[RecalledMemory]:
    """Those that nobody has forgotten meanwhile, here or in another process."""
    gone = view.forgotten([memory["ref"] for memory in memories])
    return [memory for memory in memories if memory["ref"] not in gone]


def wished(view: RetrieverView, query: str) -> list[Recalled]:
    """The newest wishes of the user that wait to become cards: they hold whatever is asked, as those will."""
    hits = view.recall(query, _STANDING_SHOWN, mode="lexical", types=[MemoryType.PREFERENCE])
    return [hit for hit in hits if hit.label == TO_BE_REMEMBERED]


def may_stand(hits: Sequence[Recalled], thread: str | None) -> list[Recalled]:
    """The memories that may come into a brief of ``thread`` without having been asked for.

    A page may hold orders, and a small model follows what it reads. So what a tool said in another thread comes under
    the tool's name, only where the query speaks of it, and not where it asks to be remembered; what a model said there
    after a tool may repeat the page, and comes only where the query speaks of what the user had asked there, and where
    it demands nothing. What else was asked and answered there comes only where the query speaks of the question or of
    the answer: a small model mixes two questions up.
    """
    spoken_of = {hit.thread for hit in hits if hit.label.startswith("user ") and _is_spoken_of(hit)}
    return [hit for hit in hits if hit.source == "card" or hit.thread == thread or _may_come_over(hit, spoken_of)]


def bears_on(hit: Recalled, query: str, *, thread: str | None, earlier: bool = True) -> bool:
    """Whether an old turn has something to do with a query that can be looked up.

    What is like it in meaning alone mostly has not: a small model then goes on with the old question. What a tool said
    for an earlier request is looked up anew, unless it is spoken of, and in another thread the user speaks of that: a
    small model answers from the old record, or repeats the call that found it. What the user stated always may come.

    Args:
        hit: what was recalled.
        query: what is looked for.
        thread: where it is looked for.
        earlier: it was before the present task.
    """
    told = hit.label.startswith("user ") and _tells(hit.text)
    if hit.source == "card" or hit.label == TO_BE_REMEMBERED or told:
        return True
    if not hit.label.startswith("user ") and hit.label != f"executor {Action.ANSWER}":
        at_hand = hit.thread == thread or looks_back(query)
        return not earlier or (at_hand and _is_spoken_of(hit) and hit.label != f"executor {Action.THOUGHT}")
    about, asked = (AGGREGATE_ZH.sub(" ", text) for text in (hit.text, query))
    shared = bool(shared_words(about, asked))
    if hit.thread != thread and not looks_back(query):
        return shared and _is_spoken_of(hit)
    return shared or _is_spoken_of(hit)


def looks_back(query: str) -> bool:
    """Whether a request speaks of what was done before, and not only of what there is."""
    return _BACK.search(query) is not None


def _may_come_over(hit: Recalled, spoken_of: Collection[str | None]) -> bool:
    if hit.label.startswith("tool "):
        return _is_spoken_of(hit) and not asks_to_remember(hit.text)
    if hit.echo:
        return hit.thread in spoken_of and not _demands(hit.text)
    return (
        (hit.label.startswith("user ") and _tells(hit.text))
        or hit.label == TO_BE_REMEMBERED
        or hit.thread in spoken_of
        or _is_spoken_of(hit)
    )


def _tells(text: str) -> bool:
    """Whether a user's turn states something: an old order or question would be taken for the present one."""
    said = [piece.text for piece in passages(text)]
    return any(not (unfit(each) or _ORDER.search(each) or constraints_in(each)) for each in said)


def _demands(text: str) -> bool:
    return asks_to_remember(text) or bool(constraints_in(text))


def _is_spoken_of(hit: Recalled) -> bool:
    return hit.parts["evidence"] >= _SPOKEN_OF


def of_another_month(hit: Recalled, query: str) -> bool:
    """Whether a record of one month is no answer to a question about others; a small model takes it for one."""
    asked, own = months_in(query), months_in(hit.label)
    return bool(asked and own) and not asked & months_in(f"{hit.label}\n{hit.text}")


def repeats(hit: Recalled, query: str) -> bool:
    """Whether a memory is an earlier request in the same words: it tells nothing, least of all if it failed."""
    return hit.label.startswith("user ") and tokens(hit.text) == tokens(query)


def shown(hit: Recalled, zone: str, query: str = "") -> RecalledMemory:
    """A hit as plain data for the state, its text cut down to what a brief has room for and the query speaks of."""
    text = clip(excerpt(hit.text, query), _LINE_TOKENS, ref=short_ref(hit.ref))
    line = memory_line(replace(hit, text=text), zone=zone)
    return RecalledMemory(
        ref=hit.ref, source=hit.source, label=hit.label, line=line, score=hit.score, parts=dict(hit.parts),
        drawn=hit.echo or hit.label.startswith("tool "),
    )  # fmt: skip


def excerpt(text: str, query: str) -> str:
    """The part of a passage, no longer than a brief has room for, in which most of the query's words stand together."""

    def part(start: int, end: int) -> str:
        return text if end - start == len(text) else f"… {text[start:end]} …"

    return part(*telling_part(text, query, lambda start, end: estimate_tokens(part(start, end)) <= _LINE_TOKENS))


def as_recalled(event: Event, zone: str) -> RecalledMemory:
    """An event that was not searched for, in the form of one that was found."""
    hit = Recalled(
        ref=event.event_id, source="event", text=event.observation, score=1.0, at=event.at, status=Status.ACTIVE,
        label=f"{event.actor} {event.action}", thread=event.scope.thread,
    )  # fmt: skip
    return shown(hit, zone)


def lines(recalled: Sequence[RecalledMemory]) -> list[str]:
    """How the brief shows them, best first."""
    return [memory["line"] for memory in recalled]


def shown_in_part(memories: Iterable[RecalledMemory]) -> bool:
    """Whether more of one of them can be read than the brief shows."""
    return any("…" in memory["line"] for memory in memories)


def answered_by_own_words(question: str, memories: Iterable[RecalledMemory]) -> bool:
    """Whether a question of users about themselves is one that their own recalled words speak of."""
    return asks_of_oneself(question) and told_of(question, memories)


def told_of(question: str, memories: Iterable[RecalledMemory]) -> bool:
    """Whether the user's own recalled words speak of what is asked."""
    return any(_is_told_of(memory, question) for memory in memories)


def _is_told_of(memory: RecalledMemory, question: str) -> bool:
    own = is_kept(memory) or memory["label"].startswith("user ")
    text = quoted(memory)
    told = any(not unfit(piece.text) for piece in passages(text))
    near = memory["parts"].get("evidence", 0.0) >= _OF_ONESELF or shared_words(text, question)
    return own and told and bool(near)


def kept_apart(memories: Sequence[RecalledMemory]) -> tuple[list[str], list[str]]:
    """How the brief shows what is kept of the user, and the other memories."""
    return (
        lines([memory for memory in memories if is_kept(memory)]),
        lines([memory for memory in memories if not is_kept(memory)]),
    )

"""What distilling will cost, before a teacher is asked: by the books alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.distill.document import Failure, Unreadable
from memory_secretary.nodes.distill.files import files_of
from memory_secretary.nodes.distill.passages import Passage, count_of, passages_of
from memory_secretary.nodes.distill.question import PROMPT, SYSTEM
from memory_secretary.nodes.distill.reading import document_of, source_of
from memory_secretary.nodes.distill.register import Register

_REPLY_TOKENS = 80
"""Tokens that a teacher writes about a statement (seen with the embedded model)."""
_SECONDS = 60


@dataclass
class Estimate:
    """What would be done.

    Attributes:
        documents: files that were found.
        unchanged: of these, distilled before as they are.
        passages: that a teacher has to read, with one call each.
        prompt_tokens: of these calls.
        reply_tokens: likewise, about.
        failures: what cannot be read.
    """

    documents: int = 0
    unchanged: int = 0
    passages: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    failures: list[Failure] = field(default_factory=list)

    def minutes(self, seconds_a_passage: float | None) -> float | None:
        """How long it takes, or None where the teacher's pace is not known."""
        return None if seconds_a_passage is None else self.passages * seconds_a_passage / _SECONDS

    def price(self, per_million: float) -> float:
        """What the tokens cost, in the currency of the price of a million."""
        return (self.prompt_tokens + self.reply_tokens) * per_million / 1_000_000

    def add(self, passages: Sequence[Passage]) -> None:
        """Count passages that are to be read."""
        self.passages += len(passages)
        self.prompt_tokens += sum(_INSTRUCTIONS + estimate_tokens(passage.text) for passage in passages)
        self.reply_tokens += sum(_REPLY_TOKENS * count_of(passage) for passage in passages)


_INSTRUCTIONS = estimate_tokens(SYSTEM + PROMPT)


def estimate(register: Register, paths: Sequence[str], window: int, *, again: bool = False) -> Estimate:
    """Read every document and count what is left to do; nothing is recorded and no model asked.

    Args:
        register: the books.
        paths: files, folders and patterns.
        window: tokens that the teacher reads and writes in one call.
        again: count also what is distilled already.
    """
    found = files_of(paths)
    done = Estimate(documents=len(found.files), failures=found.failures)
    for path in found.files:
        try:
            source = source_of(path)
            log = register.log(path)
            if log.is_done(source.digest) and not again:
                done.unchanged += 1
                continue
            passages = passages_of(document_of(source), window)
        except Unreadable as error:
            done.failures.append({"path": str(path), "reason": error.sentence(spoken())})
            continue
        left = log.left(source.digest, [passage.digest for passage in passages], again=again)
        done.add([passages[number] for number in left])
    return done

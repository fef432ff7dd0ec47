"""A listing of many records and a capable worker that opens each of them: runs of any number of steps."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any

from policy import PolicyModel, Reply, step, worker

from memory_secretary.memory.tokens import estimate_tokens

LEAST, MOST = 50, 3000
"""Tokens of a record, by the estimate that the graph itself uses."""
_WORDS = (
    "the clerk of the northern depot wrote that pallets near gate four were moved before noon and nobody asked why "
    "while the carrier waited for a signature and the scale was being cleaned by two men from the harbour"
).split()


@dataclass
class LongWalk:
    """A world of records.

    Attributes:
        records: how many there are.
        opened: the ids that were opened, in order.
    """

    records: int
    seed: int = 1
    opened: list[str] = field(default_factory=list)

    @property
    def goal(self) -> str:
        """What is wanted."""
        return "List the records, get each of them, and tell me the total of the amounts due."

    @property
    def ids(self) -> list[str]:
        """What the listing names."""
        return [f"REC-{number:03}" for number in range(1, self.records + 1)]

    def due(self, record_id: str) -> int:
        """The amount that a record holds."""
        return 100 + 3 * self.ids.index(record_id)

    def word(self, record_id: str) -> str:
        """A word that no other record has."""
        return "z" + "".join(random.Random(record_id).choices("bcdfghjklmnpqrstvwx", k=9))

    def text(self, record_id: str) -> str:
        """A record of 50 to 3,000 tokens, the same at each opening; its amount stands somewhere in the middle."""
        chance = random.Random(f"{self.seed} {record_id}")
        size = int(LEAST * (MOST / LEAST) ** chance.random())
        lines = [
            f"Record {record_id} of the depot {self.word(record_id)}.",
            f"The amount due is {self.due(record_id)} EUR.",
        ]
        while estimate_tokens("\n".join(lines)) < size:
            said = " ".join(chance.choices(_WORDS, k=chance.randrange(6, 18)))
            lines.insert(chance.randrange(1, len(lines) + 1), f"On day {chance.randrange(1, 400)} {said}.")
        return "\n".join(lines)

    def tools(self) -> list[Any]:
        """List and open."""

        def list_records() -> str:
            """List the records."""
            return "\n".join(self.ids)

        def get_record(record_id: str) -> str:
            """Get one record."""
            self.opened.append(record_id)
            return self.text(record_id)

        return [list_records, get_record]

    def worker(self) -> PolicyModel:
        """A capable model in both roles: gets every record in turn and gives the total that the brief shows."""
        works = worker(first=step("list_records"), wanted=("get_record",), field="amount due", answer=_total)

        def rule(prompt: str) -> Reply:
            return step("final_answer", answer=_total(prompt)) if "; highest" in prompt else works(prompt)

        return PolicyModel(rule=rule)


def _total(prompt: str) -> str:
    total = re.search(r": total ([\d,.]+)", prompt)
    return f"The total is {total.group(1) if total else 'unknown'} EUR."

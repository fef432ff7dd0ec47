"""A small world with a side effect, whose every tool run is written to a file, and a program that dies in it.

``python invoices.py FOLDER DIE [--checkpoints]`` works on the task until it kills itself with SIGKILL.
``DIE`` says where: ``tool:<name>:<invoice>:<before or after>`` of its effect, or ``node:<name>:<step>`` once the node
has told that it is done.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from policy import PolicyModel, Reply, step, worker

from memory_secretary.graph import SecretaryGraph, Settings, build_graph, open_checkpointer
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

GOAL = "List the open invoices, read each one and pay it. Then tell me the sum of the amounts due."
AMOUNTS = {"INV-1": 110, "INV-2": 220, "INV-3": 330}
SCOPE = Scope(user="ana", thread="t1")
CONFIG: Any = {"configurable": {"thread_id": "t1"}}
ANSWER = "Paid what could be paid; the amounts due come to 660."


def die() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


class World:
    """The tools over a folder. ``die_at`` names the run in which the process ends, and whether before its effect."""

    def __init__(self, folder: Path, die_at: str = "") -> None:
        self._log = folder / "runs.log"
        self._die_at = die_at

    def runs(self, name: str) -> list[str]:
        """The invoices that a tool was effectively run for, in order."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [line.split()[1] for line in lines if line.split()[0] == name]

    def _effect(self, name: str, invoice: str) -> None:
        if self._die_at == f"tool:{name}:{invoice}:before":
            die()
        with self._log.open("a") as log:
            log.write(f"{name} {invoice}\n")
        if self._die_at == f"tool:{name}:{invoice}:after":
            die()

    def tools(self) -> list[Any]:
        """List, read and pay."""

        def list_invoices() -> str:
            """List the open invoices."""
            self._effect("list_invoices", "all")
            return "\n".join(AMOUNTS)

        def read_invoice(invoice_id: str) -> str:
            """Read one invoice."""
            self._effect("read_invoice", invoice_id)
            return f"Invoice {invoice_id} of the depot.\nAmount due: {AMOUNTS[invoice_id]} EUR.\nPayable at once."

        def pay_invoice(invoice_id: str, amount: int) -> str:
            """Pay one invoice."""
            self._effect("pay_invoice", invoice_id)
            return f"paid {amount} for {invoice_id}"

        return [list_invoices, read_invoice, pay_invoice]


def clerk() -> PolicyModel:
    """Reads every invoice, pays those that the brief does not show as paid or tried, and answers."""

    def answer(prompt: str) -> Reply:
        for invoice, amount in AMOUNTS.items():
            if not re.search(rf"pay_invoice\(invoice_id={invoice}", prompt):
                return step("pay_invoice", invoice_id=invoice, amount=amount)
        return ANSWER

    rule = worker(first=step("list_invoices"), wanted=("read_invoice",), field="amounts due", answer=answer)
    return PolicyModel(rule=rule)


def make_graph(world: World, memory: TieredMemory, model: Any, checkpointer: Any = None) -> SecretaryGraph:
    """The graph over the world, the same before and after a crash."""
    settings = Settings(user_id="ana", executor_window=2048, max_steps=20)
    return build_graph(model, memory=memory, tools=world.tools(), settings=settings, checkpointer=checkpointer)


def main(folder: Path, die_at: str, *, checkpoints: bool) -> None:
    """Work until the end that ``die_at`` names."""
    opened = open_checkpointer(folder / "checkpoints.sqlite") if checkpoints else nullcontext()
    with TieredMemory.open(folder / "memory", embedder=None) as memory, opened as saver:
        graph = make_graph(World(folder, die_at), memory, clerk(), saver)
        for chunk in graph.stream({"messages": [("user", GOAL)]}, CONFIG, stream_mode="custom"):
            if die_at == f"node:{chunk['node']}:{chunk['step']}":
                die()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], checkpoints="--checkpoints" in sys.argv)

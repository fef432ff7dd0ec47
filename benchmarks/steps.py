"""What one step costs beside the models: a scripted run of 300 steps over records of 50 to 3,000 tokens.

python benchmarks/steps.py         # a minute, no model and no embedder

The executor is asked at every step and does each record in turn; checkpoints and memory are written to disk as the
command line does. The time of a step is the wall-clock from one decision to the next without the model's own call, the
tool's, and what is measured here. The processor's time is that of all threads, which other work on the machine disturbs
less.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from long_walk import LongWalk
from policy import PolicyModel

from memory_secretary.graph import Settings, build_graph, open_checkpointer
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.prompt import prompt_tokens

WINDOW = 2048
AROUND = 5
"""Steps on either side whose median is taken."""


@dataclass
class Reading:
    """What was measured at each step: seconds beside model and tool, resident kB, tokens of the executor's prompt."""

    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    resident: list[int] = field(default_factory=list)
    prompts: list[int] = field(default_factory=list)


class Clocks:
    """Seconds of the wall clock and of the processor, without those that are set aside."""

    def __init__(self) -> None:
        self._aside = [0.0, 0.0]

    def now(self) -> list[float]:
        return [time.perf_counter() - self._aside[0], time.process_time() - self._aside[1]]

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What this thread does meanwhile does not count."""
        wall, own = time.perf_counter(), time.thread_time()
        try:
            yield
        finally:
            self._aside[0] += time.perf_counter() - wall
            self._aside[1] += time.thread_time() - own


class TimedModel(PolicyModel):
    """Its own calls do not count."""

    clocks: Any

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        with self.clocks.aside():
            return super()._generate(*args, **kwargs)


@dataclass
class TimedWalk(LongWalk):
    """Making up a record does not count."""

    clocks: Clocks = field(default_factory=Clocks)

    def text(self, record_id: str) -> str:
        with self.clocks.aside():
            return super().text(record_id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps
    report(steps, *measured(steps))


def measured(steps: int) -> tuple[Reading, list[int]]:
    """What one run read at each step, and the bytes of its checkpoints."""
    world = TimedWalk(steps)
    model = TimedModel(rule=world.worker().rule, clocks=world.clocks)
    with tempfile.TemporaryDirectory() as folder:
        reading = walk(world, model, Path(folder), steps)
        return reading, checkpoint_sizes(Path(folder) / "checkpoints.sqlite")


def walk(world: TimedWalk, model: TimedModel, folder: Path, steps: int) -> Reading:
    """Run it once, from an empty memory."""
    settings = Settings(user_id="local", executor_window=WINDOW, max_steps=steps + 10, carry=False)
    config: Any = {"configurable": {"thread_id": "t1"}, "recursion_limit": 5 * steps + 100}
    reading = Reading()
    opened = TieredMemory.open(folder / "memory", embedder=None)
    with opened as memory, open_checkpointer(folder / "checkpoints.sqlite") as saver:
        graph = build_graph(model, memory=memory, tools=world.tools(), settings=settings, checkpointer=saver)
        before = world.clocks.now()
        for _ in decisions(graph.stream({"messages": [("user", world.goal)]}, config, stream_mode="custom")):
            now = world.clocks.now()
            with world.clocks.aside():
                reading.seconds.append(now[0] - before[0])
                reading.processor.append(now[1] - before[1])
                reading.resident.append(resident())
                reading.prompts.append(prompt_tokens(model.prompts[-1], estimate_tokens))
                model.prompts.clear()
            before = now
    return reading


def decisions(chunks: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The chunks that end a decision."""
    return (chunk for chunk in chunks if chunk["node"] == "plan" and "seconds" in chunk)


def resident() -> int:
    """Resident kB of this process: now where Linux tells, else the most so far."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def checkpoint_sizes(path: Path) -> list[int]:
    with sqlite3.connect(path) as rows:
        return [size for (size,) in rows.execute("select length(checkpoint) from checkpoints order by checkpoint_id")]


def report(steps: int, reading: Reading, sizes: Sequence[int]) -> None:
    marks = [mark for mark in (10, 20, 50, 100, 200, 300) if mark <= steps]
    print(f"{len(reading.seconds)} steps, executor window {WINDOW}, no embedder, checkpoints and memory on disk")
    print("| step | p50 ms | processor ms | prompt tokens | resident MB |")
    print("|---|---|---|---|---|")
    for mark in marks:
        ms, own = 1000 * around(reading.seconds, mark), 1000 * around(reading.processor, mark)
        held = around(reading.resident, mark) / 1024
        print(f"| {mark} | {ms:.1f} | {own:.1f} | {around(reading.prompts, mark):.0f} | {held:.0f} |")
    first, last = marks[0], marks[-1]
    whole, own = 1000 * median(reading.seconds), 1000 * median(reading.processor)
    print(f"p50 over all steps: {whole:.1f} ms, of the processor {own:.1f} ms")
    grown = [around(kind, last) / around(kind, first) for kind in (reading.seconds, reading.processor)]
    print(f"step {last} / step {first}: {grown[0]:.2f}, of the processor {grown[1]:.2f}")
    held = around(reading.resident, last) - around(reading.resident, first)
    print(f"resident memory, step {first} to {last}: {held / 1024:+.1f} MB")
    print(f"checkpoints: {len(sizes)}, largest {max(sizes)} bytes, median {median(sizes):.0f} bytes")


def around(values: Sequence[float], mark: int) -> float:
    """The median of the steps around one."""
    return median(values[max(0, mark - AROUND) : mark + AROUND])


if __name__ == "__main__":
    main()

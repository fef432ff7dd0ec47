"""A seeded generator of long tasks: eight families in two languages, with noisy records and one right end each."""

from memory_secretary.graph.evaluation.longtask.environment import Call, Environment
from memory_secretary.graph.evaluation.longtask.suite import (
    DEVELOPMENT_SEEDS,
    FAMILIES,
    FROZEN_SEEDS,
    development_tasks,
    frozen_tasks,
    make_task,
)
from memory_secretary.graph.evaluation.longtask.task import LENGTHS, Length, LongTask

__all__ = [
    "DEVELOPMENT_SEEDS",
    "FAMILIES",
    "FROZEN_SEEDS",
    "LENGTHS",
    "Call",
    "Environment",
    "Length",
    "LongTask",
    "development_tasks",
    "frozen_tasks",
    "make_task",
]

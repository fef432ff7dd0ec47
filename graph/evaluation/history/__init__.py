"""A simulated user's history with a known truth: what is told and changed, what expires, and what only seems told."""

from memory_secretary.graph.evaluation.history.days import DEVELOPMENT_DAYS, REPORTED_DAYS, development, reported
from memory_secretary.graph.evaluation.history.truth import Fact, History, Said

__all__ = ["DEVELOPMENT_DAYS", "REPORTED_DAYS", "Fact", "History", "Said", "development", "reported"]

"""A memory on a frozen clock with counted ids, searching by words alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memory_secretary.memory import TieredMemory, candidates, card_reads, events, filters, lexical


@pytest.fixture
def memory(frozen_clock: Any, counting_ids: Callable[[], str]) -> Iterator[TieredMemory]:
    with TieredMemory.open(":memory:", embedder=None, clock=frozen_clock, new_id=counting_ids) as opened:
        yield opened


@pytest.fixture
def fresh_statements() -> Iterator[None]:
    """Statements are built once for each shape of caller; those that were built with a fault must not stay."""
    modules = (candidates, card_reads, events, filters, lexical)
    kept = [one for module in modules for one in vars(module).values() if hasattr(one, "cache_clear")]
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()

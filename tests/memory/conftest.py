"""A memory on a frozen clock with counted ids, searching by words alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memory_secretary.memory import TieredMemory


@pytest.fixture
def memory(frozen_clock: Any, counting_ids: Callable[[], str]) -> Iterator[TieredMemory]:
    with TieredMemory.open(":memory:", embedder=None, clock=frozen_clock, new_id=counting_ids) as opened:
        yield opened

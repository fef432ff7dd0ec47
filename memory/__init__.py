"""The memory: events, cards, roles and views, the ledger, the vector index, and recall. It knows no chat model."""

from typing import TYPE_CHECKING, Any

from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.injection import format_memories
from memory_secretary.memory.records import (
    Action,
    CardVersion,
    Event,
    Evidence,
    Kind,
    MemoryCard,
    MemoryType,
    Pending,
    Phase,
    Recalled,
    Status,
    StoredTask,
)
from memory_secretary.memory.roles import Right, Role, Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.scoring import RecallWeights

if TYPE_CHECKING:
    from memory_secretary.memory.tiered import TieredMemory

__all__ = [
    "Action",
    "CardDraft",
    "CardVersion",
    "Event",
    "Evidence",
    "Kind",
    "MemoryCard",
    "MemoryType",
    "Pending",
    "Phase",
    "RecallWeights",
    "Recalled",
    "Right",
    "Role",
    "Scope",
    "Status",
    "StoredTask",
    "Tier",
    "TieredMemory",
    "format_memories",
]


def __getattr__(name: str) -> Any:
    """Import the database only when a memory is opened: the shared types alone must stay quick to import."""
    if name == "TieredMemory":
        from memory_secretary.memory.tiered import TieredMemory

        return TieredMemory
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)

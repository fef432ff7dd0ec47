"""Ids and names as a person types them: a beginning is enough where only one begins so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory

_NAMED = 5
"""Ids that a refusal names."""


def the_one(beginning: str, known: Sequence[str]) -> str:
    """The known name that is meant; what was typed where none begins so.

    Raises:
        NotFound: several begin so; the sentence names them.
    """
    found = [name for name in known if name.startswith(beginning)]
    if beginning in found or not found:
        return beginning
    if len(found) == 1:
        return found[0]
    names = found[:_NAMED]
    msg = f"{beginning!r} may be {', '.join(names)}: give more of it"
    raise NotFound(msg, zh=f"{beginning!r} 可能是 {'、'.join(names)}：请多写几位")


def whole_id(memory: TieredMemory, scope: Scope, beginning: str) -> str:
    """The id of the card or event that is meant; what was typed where none begins so.

    Raises:
        NotFound: several begin so; the sentence names them.
    """
    return the_one(beginning, memory.view(Role.USER, scope).ids(beginning, _NAMED + 1))

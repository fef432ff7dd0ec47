"""The question before something goes: only a yes lets it, and where nobody answers nothing is done."""

from __future__ import annotations

from collections.abc import Callable

from memory_secretary.graph.words import Lang, say
from memory_secretary.memory.errors import InvalidRecord

YES_OPTIONS = ("--yes", "-y")
"""How a person says beforehand that they need not be asked."""
_YES = ("y", "yes", "是", "好", "继续")


def agreed(ask: Callable[[str], str], lang: Lang) -> bool:
    """Whether the person who is asked wants it.

    Args:
        ask: shows a question and gives the line that answers it; raises ``EOFError`` where there is none.
        lang: the language of the question.

    Raises:
        InvalidRecord: nobody is there to answer.
    """
    try:
        return ask(say(lang, "sure")).strip().lower() in _YES
    except EOFError:
        raise unanswered() from None
    except KeyboardInterrupt:
        return False


def unanswered() -> InvalidRecord:
    """The refusal where nobody answers."""
    msg = "nothing was changed, since nobody answers here: add --yes to do it without a question"
    return InvalidRecord(msg, zh="没有做任何改动，因为这里无人回答：请加 --yes，不经询问直接执行")

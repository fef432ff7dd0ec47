"""Whose memory: the isolation border (user or team) and the filters inside it (agent, thread)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory_secretary.memory.errors import ScopeError

_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f\ud800-\udfff\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]"
    r"|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Control characters, and whatever is invisible. The joiners stand inside emoji and Persian or Indic words, so between
two characters beyond ASCII they are letters like any other; elsewhere they would make two ids that look the same."""
_MAX_LENGTH = 256


def _checked(name: str, value: object) -> str:
    if not isinstance(value, str):
        msg = f"scope {name} must be a string, not {type(value).__name__}; pass e.g. Scope(user='u1')"
        raise ScopeError(msg, zh=f"范围中的 {name} 必须是字符串，不能是 {type(value).__name__}；例如 Scope(user='u1')")
    if not value.strip() or value != value.strip() or _UNSAFE.search(value) or len(value) > _MAX_LENGTH:
        msg = (
            f"scope {name} {value[:40]!r} is not usable: it must be 1 to {_MAX_LENGTH} characters, "
            "without blanks at its ends and without control characters"
        )
        zh = f"范围中的 {name} {value[:40]!r} 不可用：须为 1 到 {_MAX_LENGTH} 个字符，首尾无空白，不含控制字符"
        raise ScopeError(msg, zh=zh)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a record belongs.

    Attributes:
        user: the person whose memory it is. Either this or ``team`` is required.
        team: a shared blackboard; when set it is the border, and ``user`` names who speaks.
        agent: which agent acts; a filter inside the border.
        thread: the conversation or run; a filter inside the border.

    Raises:
        ScopeError: when neither user nor team is given, or a part is empty, padded, not a string
            or holds control characters. A missing scope is never read as "all".
    """

    user: str | None = None
    team: str | None = None
    agent: str | None = None
    thread: str | None = None

    def __post_init__(self) -> None:
        """Refuse what could ever be read as another scope."""
        if self.user is None and self.team is None:
            msg = "a scope needs a user or a team; pass e.g. Scope(user='u1', thread='t1')"
            raise ScopeError(msg, zh="范围需要用户或团队；例如 Scope(user='u1', thread='t1')")
        for name in ("user", "team", "agent", "thread"):
            value = getattr(self, name)
            if value is not None:
                _checked(name, value)

    @property
    def owner(self) -> str:
        """The isolation border as one unambiguous key: ``team:<id>`` or ``user:<id>``."""
        return f"team:{self.team}" if self.team is not None else f"user:{self.user}"

    def on(self, thread: str | None) -> Scope:
        """The same border with another thread."""
        return replace(self, thread=thread)

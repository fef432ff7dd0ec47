"""Whose memory: the isolation border (user or team) and the filters inside it (agent, thread)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory_secretary.memory.errors import ScopeError

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
    r"|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Control characters, and whatever is invisible, but for the selectors of a glyph, which emoji and some Chinese and
Japanese names are written with. The joiners stand inside emoji and Persian or Indic words, so between two characters
beyond ASCII they are letters like any other; elsewhere they would make two ids that look the same."""
_MAX_LENGTH = 256


def _checked(name: str, value: object) -> str:
    if not isinstance(value, str):
        msg = f"scope {name} must be a string, not {type(value).__name__}; pass e.g. Scope(user='u1')"
        raise ScopeError(msg, zh=f"范围中的 {name} 必须是字符串，不能是 {type(value).__name__}；例如 Scope(user='u1')")
    if not value.strip() or value != value.strip() or _UNSAFE.search(value) or len(value) > _MAX_LENGTH:
        msg = (
            f"scope {name} {value[:40]!r} is not usable: it must be 1 to {_MAX_LENGTH} characters, "
            "without blanks at its ends and without control or invisible characters"
        )
        zh = f"范围中的 {name} {value[:40]!r} 不可用：须为 1 到 {_MAX_LENGTH} 个字符，首尾无空白，不含控制或不可见字符"
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
            or holds control or invisible characters. A missing scope is never read as "all".
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

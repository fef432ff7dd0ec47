"""What the user demanded or forbade, quoted from their own words by code."""

from __future__ import annotations

import re

from memory_secretary.nodes.passages import passages

_MARK = re.compile(
    r"\b(?:must|never|only|always|do not|don't|without|at most|at least|no more than|in one sentence|except|unless)\b"
    r"|不要|不得|不能|不准|切勿|必须|务必|只能|只用|仅|最多(?=[用只可能调读写说\d一二两三四五六七八九十])|至少|不超过|一句话|除非",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"\b(?:please remember|remember (?:that|this|to|my|i)\b|(?:keep|bear) in mind|make a note|note for later|from now"
    r" on)|\bfor (?:later|future reference)\s*:|(?:^|[.!?]\s+)(?:please )?remember\s*[:,]"
    r"|(?:^|[.!?]\s+)(?:please\s+)?(?:always|never)\s+(?:answer|reply|respond|call me|address me|speak to me)\b"
    r"|(?:^|[。！？!?]\s*)[请你您]*(?:以后|今后|往后|每次|总是|一直|永远)(?:都|总是|请|要|都要)*(?:用[^，。？！]{1,8})?(?:回答|回复|答复|叫我|称呼我)"
    r"|记住|记下来|请记得|以后都|从现在起"
    r"|(?:先|请|帮我|麻烦)记(?:一下|着|下|好)?\s*[：:，,。]|记一下\s*[：:，,]|备忘\s*[：:]",
    re.IGNORECASE,
)
_MOST = 6


def constraints_in(text: str) -> list[str]:
    """The sentences of a user's message that demand or forbid, word for word, at most six."""
    return [piece.text for piece in passages(text) if _MARK.search(piece.text)][:_MOST]


def asks_to_remember(text: str) -> bool:
    """Whether the user asks for something to be kept for later."""
    return _REMEMBER.search(text) is not None

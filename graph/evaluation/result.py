"""What a run of one arm of a comparison came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

Turn = tuple[str, str]
"""What the user says: the thread in which it is said, and the words."""


@dataclass
class ArmResult:
    """What one run of one arm came to. Tokens are as the servers counted them.

    Attributes:
        answer: to the last turn.
        stop_reason: why the last turn has no full answer; empty when it has.
        reply_tokens: what the executor wrote.
        secretary_tokens: prompts and replies together; in the rolling summary's arm those of its summaries.
        secretary_reply_tokens: how many of them were written.
        prompts: tokens of each step's prompt; 0 where the executor was not asked.
        unseen: the sliding window's loss: tokens of earlier steps and results that each prompt had no room for.
    """

    answer: str = ""
    steps: int = 0
    tool_calls: int = 0
    repeats: int = 0
    prompt_tokens: int = 0
    read_tokens: int = 0
    reply_tokens: int = 0
    largest_prompt: int = 0
    secretary_calls: int = 0
    secretary_tokens: int = 0
    secretary_reply_tokens: int = 0
    seconds: float = 0.0
    stop_reason: str = ""
    seconds_by_node: dict[str, float] = field(default_factory=dict)
    prompts: list[int] = field(default_factory=list)
    unseen: list[int] = field(default_factory=list)

    def took(self, node: str, seconds: float) -> None:
        """Add to a node's seconds; the plain arms call theirs by what the secretary's nodes do."""
        self.seconds_by_node[node] = round(self.seconds_by_node.get(node, 0.0) + seconds, 4)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for a results file."""
        return asdict(self)

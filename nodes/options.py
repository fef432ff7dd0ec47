"""What steers the nodes in one run: windows, limits, and a switch for every mechanism."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything a node may be told. All sizes are tokens of the model that reads them.

    Attributes:
        executor_window: the executor's context window, prompt and reply together.
        secretary_window: the secretary's context window, prompt and reply together.
        max_steps: steps of one run (a step is one decision of the executor).
        lang: ``en`` or ``zh`` for headings and reminders; ``auto`` follows the user's words.
        zone: IANA time zone of the user, for dates that are shown.
        recall_k: how many memories are recalled for a step.
        secretary_calls: upper limit of secretary calls in one run.
        brief: hand the executor a brief; off, it gets the newest records as they are, clipped.
        recall: search memory for the step.
        digests: choose the lines of long observations that matter; off, they are clipped.
        discovery: let the secretary turn what is found into items to do.
        noting: let the secretary copy the asked values out of each record.
        menu: offer the open items as exact calls to choose from.
        carry: go on with the siblings of a record that the executor has chosen to read, without asking for each.
        gate: withhold ``final_answer`` while items are open.
        reminders: name repeated steps and give their result again in place of running them.
        pairing: run a call only when its arguments stand together in one record.
        grounding: keep only values that stand in their source.
    """

    executor_window: int = 4096
    secretary_window: int = 8192
    max_steps: int = 40
    lang: str = "auto"
    zone: str = "UTC"
    recall_k: int = 5
    secretary_calls: int = 200
    brief: bool = True
    recall: bool = True
    digests: bool = True
    discovery: bool = True
    noting: bool = True
    menu: bool = True
    carry: bool = True
    gate: bool = True
    reminders: bool = True
    pairing: bool = True
    grounding: bool = True


MECHANISMS = (
    "brief",
    "recall",
    "digests",
    "discovery",
    "noting",
    "menu",
    "carry",
    "gate",
    "reminders",
    "pairing",
    "grounding",
)
"""The switches, in the order in which reports list them."""

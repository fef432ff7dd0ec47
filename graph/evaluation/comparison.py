"""What the rows of a comparison come to: figures of each arm, differences of two, and whether memory helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import mean
from typing import Any, Literal

from memory_secretary.graph.evaluation.campaign import ARMS, OWN, PLAIN, SECRETARY
from memory_secretary.graph.evaluation.error_kinds import KINDS
from memory_secretary.graph.evaluation.report import paired_difference, wilson
from memory_secretary.graph.evaluation.task import LENGTHS, length_of

Row = Mapping[str, Any]
Judgement = Literal["helps", "hurts", "unknown"]

_ALPHA = 0.05
_CHI_SQUARE = 3.84
"""What McNemar's statistic has to exceed at 95 %; the exact test asks for a little more."""
_MOST_TASKS = 2_000
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Share:
    """Right runs of all, with the 95 % Wilson interval of their share (0 to 1)."""

    right: int
    runs: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens of one run on the average, by role and by direction."""

    executor_prompt: float
    executor_reply: float
    secretary_prompt: float
    secretary_reply: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost, prompt and reply, of each role; None where nothing was said."""

    executor: tuple[float, float] | None = None
    secretary: tuple[float, float] | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """The runs of one arm.

    Attributes:
        success: of all runs.
        by_length: of the runs of each class of length that was run.
        errors: in how many runs each kind of error was seen.
        done_twice: side effects beyond the first of each, in all runs.
        wrong_effects: side effects that nobody wanted, in all runs.
        steps: decisions of one run on the average; likewise ``tool_calls``, ``seconds`` and ``tokens``.
        seconds_by_node: of one run on the average; the plain arms only know the model's.
        cost: of one run on the average, in the currency of the prices; None where a price is missing.
    """

    name: str
    success: Share
    by_length: dict[str, Share]
    errors: dict[str, int]
    done_twice: int
    wrong_effects: int
    steps: float
    tool_calls: float
    seconds: float
    seconds_by_node: dict[str, float]
    tokens: Tokens
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An arm with memory against a plain one, on the tasks that both have run.

    Attributes:
        tasks: how many those are.
        gain: share of right runs that the first has more (-1 to 1), with its paired bootstrap interval.
        wins: tasks that only the first has right; ``losses`` those that only the other has.
        p: of the exact sign test on those (McNemar 1947), two-sided.
        judgement: ``helps`` or ``hurts`` where both the interval and the test leave no doubt at 95 %.
        more: tasks like these that are needed beside them if the shares stay; None where that cannot be said.
    """

    ours: str
    plain: str
    tasks: int
    gain: float
    low: float
    high: float
    wins: int
    losses: int
    p: float
    judgement: Judgement
    more: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All of it. ``about`` tells what was run with what; ``differences`` begins with the one that the verdict is on."""

    about: dict[str, Any]
    arms: list[Arm]
    differences: list[Difference]
    lengths: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for programs."""
        return asdict(self)


def compared(rows: Sequence[Row], about: Mapping[str, Any], prices: Prices | None = None) -> Comparison:
    """The comparison of these rows; arms and lengths without any row are left out."""
    groups = {arm: [row for row in rows if row["arm"] == arm] for arm in ARMS}
    arms = [_arm(name, group, prices or Prices()) for name, group in groups.items() if group]
    met = {length_of(row["needed"]) for row in rows}
    return Comparison(
        about=dict(about),
        arms=arms,
        differences=list(_differences(groups)),
        lengths=[length for length in LENGTHS if length in met],
    )


def share(group: Sequence[Row]) -> Share:
    """How many of these runs are right."""
    right = sum(bool(row["right"]) for row in group)
    return Share(right, len(group), *wilson(right, len(group)))


def _arm(name: str, group: Sequence[Row], prices: Prices) -> Arm:
    lengths = {length: [row for row in group if length_of(row["needed"]) == length] for length in LENGTHS}
    kinds = Counter(kind for row in group for kind in row["errors"])
    tokens = _tokens(group)
    return Arm(
        name=name,
        success=share(group),
        by_length={length: share(mine) for length, mine in lengths.items() if mine},
        errors={kind: kinds[kind] for kind in KINDS},
        done_twice=sum(row["done_twice"] for row in group),
        wrong_effects=sum(row["wrong_effects"] for row in group),
        steps=mean(row["steps"] for row in group),
        tool_calls=mean(row["tool_calls"] for row in group),
        seconds=mean(row["seconds"] for row in group),
        seconds_by_node=_seconds_by_node(group),
        tokens=tokens,
        cost=_cost(tokens, prices.executor, prices.secretary if name == SECRETARY else prices.executor),
    )


def _tokens(group: Sequence[Row]) -> Tokens:
    return Tokens(
        executor_prompt=mean(row["prompt_tokens"] for row in group),
        executor_reply=mean(row["reply_tokens"] for row in group),
        secretary_prompt=mean(row["secretary_tokens"] - row["secretary_reply_tokens"] for row in group),
        secretary_reply=mean(row["secretary_reply_tokens"] for row in group),
    )


def _seconds_by_node(group: Sequence[Row]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for row in group:
        total.update(row["seconds_by_node"])
    return {node: seconds / len(group) for node, seconds in total.items()}


def _cost(tokens: Tokens, executor: tuple[float, float] | None, secretary: tuple[float, float] | None) -> float | None:
    if executor is None or secretary is None:
        return None
    spent = tokens.executor_prompt * executor[0] + tokens.executor_reply * executor[1]
    return (spent + tokens.secretary_prompt * secretary[0] + tokens.secretary_reply * secretary[1]) / _MILLION


# --- differences -----------------------------------------------------------------------------------------------------


def _differences(groups: Mapping[str, Sequence[Row]]) -> Iterator[Difference]:
    for ours in (SECRETARY, OWN):
        for plain in PLAIN:
            found = _difference(ours, groups[ours], plain, groups[plain])
            if found is not None:
                yield found


def _difference(ours: str, our_rows: Sequence[Row], plain: str, plain_rows: Sequence[Row]) -> Difference | None:
    """The two arms on their common tasks; None where they have none."""
    first, second = ({row["task"]: bool(row["right"]) for row in rows} for rows in (our_rows, plain_rows))
    both = sorted(first.keys() & second.keys())
    if not both:
        return None
    one, other = [first[task] for task in both], [second[task] for task in both]
    gain, low, high = paired_difference(one, other)
    wins = sum(mine and not theirs for mine, theirs in zip(one, other, strict=True))
    losses = sum(theirs and not mine for mine, theirs in zip(one, other, strict=True))
    p = sign_test(wins, losses)
    sure = p < _ALPHA and (low > 0 or high < 0)
    judgement: Judgement = "unknown" if not sure else "helps" if gain > 0 else "hurts"
    return Difference(
        ours=ours, plain=plain, tasks=len(both), gain=gain, low=low, high=high, wins=wins, losses=losses, p=p,
        judgement=judgement, more=None if sure else more_tasks(wins, losses, len(both)),
    )  # fmt: skip


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided probability that so uneven a count comes about by chance alone."""
    differing, tail, ways = wins + losses, 0, 1
    for count in range(min(wins, losses) + 1):
        tail += ways
        ways = ways * (differing - count) // (count + 1)
    return min(1.0, float(tail * 2 / 2**differing))


def more_tasks(wins: int, losses: int, tasks: int) -> int | None:
    """How many tasks beside these would leave no doubt if wins and losses stay as frequent; None for thousands."""
    if wins == losses:
        return None
    least = tasks * _CHI_SQUARE * (wins + losses) / (wins - losses) ** 2
    for total in range(max(tasks + 1, int(0.9 * least)), _MOST_TASKS):
        if sign_test(max(wins, losses) * total // tasks, -(-min(wins, losses) * total // tasks)) < _ALPHA:
            return total - tasks
    return None

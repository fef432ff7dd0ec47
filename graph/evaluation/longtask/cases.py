"""Families about cases with a party, an amount and a state: act on some of them, follow one on its way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory_secretary.graph.evaluation.longtask.documents import Line
from memory_secretary.graph.evaluation.longtask.environment import Call
from memory_secretary.graph.evaluation.longtask.outcome import Deed, End, Outcome
from memory_secretary.graph.evaluation.longtask.scene import Scene, Sizes
from memory_secretary.graph.evaluation.longtask.task import LongTask

READ_THEN_ACT: Sizes = {"short": (2, 2), "medium": (6, 6), "long": (10, 18), "longest": (24, 28)}
"""How many records are read where some of them are acted on afterwards."""
_ACTED_ON: Sizes = {"short": (1, 1), "medium": (2, 3), "long": (3, 6), "longest": (8, 10)}
_HOPS: Sizes = {"short": (3, 3), "medium": (7, 9), "long": (12, 18), "longest": (31, 34)}
_DECOYS: Sizes = {"short": (1, 1), "medium": (2, 2), "long": (3, 3), "longest": (4, 4)}


@dataclass(frozen=True, slots=True)
class Case:
    """One case: its name, whom it concerns, what is to be paid, when it came in."""

    name: str
    party: str
    amount: int
    came: str


def act_on_condition(scene: Scene) -> LongTask:
    """Pay each overdue case, or write to each person whose case is late: once each, and nobody else."""
    scene.shelf = scene.world.cases
    found = cases(scene, scene.size(READ_THEN_ACT))
    chosen = sorted(scene.rng.sample(found, scene.size(_ACTED_ON)), key=found.index)
    act = scene.kind(("pay", "tell"), short=("pay",))
    if act == "pay":
        records = case_texts(scene, found, chosen, states=("due", "not_due"))
        end, calls = paid_end(scene, chosen), [paid(scene, case) for case in chosen]
    else:
        records = case_texts(scene, found, chosen, states=("late", "not_late"))
        end, calls = _told_end(scene, chosen, found), [scene.act("tell", case.party, case.name) for case in chosen]
    named = tuple(records) if scene.length == "short" else ()
    return scene.task(
        scene.goal(f"goal.{act}", named=named),
        records=records,
        titles=listing(found),
        acts=("pay", "tell"),
        end=end,
        calls=[*([] if named else [scene.listed()]), *map(scene.read, records), *calls],
    )


def follow_chain(scene: Scene) -> LongTask:
    """Follow a matter from record to record and report its end and something of its start."""
    scene.shelf = scene.world.cases
    hops, decoys = scene.size(_HOPS), scene.size(_DECOYS)
    by_number = scene.kind(("number", "person")) == "number"
    names = scene.names(hops + decoys) if by_number else [scene.person() for _ in range(hops + decoys)]
    scene.rng.shuffle(names)
    way, aside = names[:hops], names[hops:]
    seals = [str(seal) for seal in scene.rng.sample(range(10_000, 99_999), len(names))]
    records = {}
    for place, (name, seal) in enumerate(zip(names, seals, strict=True)):
        texts = [scene.say("seal" if place == 0 else "seal.other", value=seal)]
        texts.append(scene.say("pointer", next=way[place + 1]) if place + 1 < hops else scene.say("last"))
        texts += [scene.say("decoy", other=scene.rng.choice(aside))] if name in way else []
        records[name] = scene.document(name, "", [Line(text) for text in texts], hops)
    return scene.task(
        scene.say("goal.chain", first=way[0] if by_number else scene.say("whose", name=way[0])),
        records=records,
        titles=None,
        acts=("store",),
        end=End(
            Outcome(says=(way[-1], seals[0]), never=tuple(aside)),
            scene.say("answer.chain", name=way[-1], value=seals[0]),
        ),
        calls=[scene.read(name) for name in way],
    )


def cases(scene: Scene, count: int) -> list[Case]:
    """Cases with amounts that all differ."""
    amounts = scene.rng.sample(range(210, 2_890), count)
    rows = zip(scene.names(count), amounts, strict=True)
    return [Case(name, scene.person(), amount, scene.date()) for name, amount in rows]


def case_texts(
    scene: Scene,
    found: Sequence[Case],
    chosen: Collection[Case],
    *,
    states: tuple[str, str],
    extra: Collection[str] = (),
) -> dict[str, str]:
    """The cases' texts: the chosen ones in the first of two states, the others in the second.

    Cases named in ``extra`` also ask for a style of quoting amounts.
    """
    texts = {}
    for case in found:
        state = states[0] if case in chosen else states[1]
        facts = [*_facts(scene, case, state), *([Line(scene.say("tempt.style"))] if case.name in extra else [])]
        texts[case.name] = scene.document(case.name, case.came, facts, len(found))
    return texts


def listing(found: Sequence[Case]) -> dict[str, str]:
    """The cases' listing: when each came in."""
    return {case.name: case.came for case in found}


def paid(scene: Scene, case: Case) -> Call:
    """The call that pays a case."""
    return scene.act("pay", case.name, case.amount)


def paid_end(scene: Scene, due: Sequence[Case]) -> End:
    """Each of these is paid once, and the answer is the sum."""
    total = sum(case.amount for case in due)
    calls = [paid(scene, case) for case in due]
    deeds = tuple(Deed(call.tool, call.arguments) for call in calls)
    return End(Outcome(says=(str(total),), deeds=deeds), scene.say("answer.paid", value=total))


def told(scene: Scene, person: str, name: str) -> Deed:
    """The wanted message to a person that mentions a record."""
    tool, to, text = scene.world.tell
    return Deed(tool, {to: person}, {text: name})


def _told_end(scene: Scene, late: Sequence[Case], found: Sequence[Case]) -> End:
    names = tuple(case.name for case in late)
    others = tuple(case.name for case in found if case not in late)
    deeds = tuple(told(scene, case.party, case.name) for case in late)
    return End(Outcome(says=names, never=others, deeds=deeds), scene.say("answer.names", names=", ".join(names)))


def _facts(scene: Scene, case: Case, state: str) -> list[Line]:
    """What the text of a case says; other people's amounts stand in it too."""
    first, second = (f"{scene.rng.randint(210, 2_890):,}" for _ in range(2))
    other = f"{scene.shelf.prefix}-{scene.rng.randint(1_000, 9_999)}"
    amount = f"{case.amount:,}"
    return [
        scene.fact("party", "label.party", case.party, case=scene.shelf.noun, name=case.name, party=case.party),
        scene.fact("amount", "label.amount", f"{scene.world.money}{amount}", name=case.name, value=amount),
        Line(scene.say("amount.other", first=first, second=second, other=other)),
        scene.fact(state, "label.state", "", name=case.name, party=case.party),
    ]

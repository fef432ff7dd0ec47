"""The family about a tool that fails, and says what to do."""

from __future__ import annotations

from dataclasses import replace

from memory_secretary.graph.evaluation.longtask.cases import READ_THEN_ACT, case_texts, cases, listing, paid, paid_end
from memory_secretary.graph.evaluation.longtask.environment import Fault
from memory_secretary.graph.evaluation.longtask.outcome import End
from memory_secretary.graph.evaluation.longtask.reports import survey, total_end
from memory_secretary.graph.evaluation.longtask.scene import READ_ALL, Scene, Sizes
from memory_secretary.graph.evaluation.longtask.task import LongTask

_LATE: Sizes = {"short": (1, 1), "medium": (1, 2), "long": (2, 3), "longest": (2, 3)}
_READ: Sizes = {"short": (1, 1), "medium": (6, 7), "long": (10, 20), "longest": (30, 35)}
"""Records that are read when each late one costs one call more."""
_DUE: Sizes = {"short": (1, 1), "medium": (3, 3), "long": (4, 8), "longest": (7, 10)}


def failing_tool(scene: Scene) -> LongTask:
    """Records that are locked once or kept under a new name, one damaged for good, or a payment that is refused."""
    makers = {"late": _late, "lost": _lost, "refused": _refused}
    return makers[scene.kind(tuple(makers), short=("late", "lost"))](scene)


def _late(scene: Scene) -> LongTask:
    """Some reads fail once, others for good with a new name to read instead."""
    reports = scene.reports(scene.size(_READ))
    taken = {report.name for report in reports}
    new_names = (name for name in scene.names(2 * len(reports) + 2) if name not in taken)
    records = {report.name: scene.report_text(report, len(reports)) for report in reports}
    names = {report.name: report.title for report in reports}
    late = scene.rng.sample(list(names), scene.size(_LATE))
    calls, faults = [scene.listed()], []
    for name in names:
        calls.append(scene.read(name))
        if name in late:
            kind, times = scene.rng.choice((("error.once", 1), ("error.moved", None)))
            found = name if times else next(new_names)
            records[found] = records[name]
            faults.append(Fault(scene.shelf.reading, name, scene.say(kind, name=name, new=found), times))
            calls.append(scene.read(found))
    return scene.task(
        scene.goal("goal.total", "hint.failing"),
        records=records,
        titles=names,
        acts=(),
        end=total_end(scene, sum(report.value for report in reports)),
        calls=calls,
        faults=faults,
    )


def _lost(scene: Scene) -> LongTask:
    """One record cannot be read by anybody."""
    reports = scene.reports(scene.size(READ_ALL))
    lost = scene.rng.choice(reports)
    total = sum(report.value for report in reports if report != lost)
    end = _reporting(total_end(scene, total), lost.name, scene.say("answer.failed", value=total, name=lost.name))
    fault = Fault(scene.shelf.reading, lost.name, scene.say("error.always", name=lost.name))
    return survey(scene, reports, scene.goal("goal.total", "hint.failing"), end=end, faults=[fault])


def _refused(scene: Scene) -> LongTask:
    """One of the payments that are due is refused for good."""
    scene.shelf = scene.world.cases
    found = cases(scene, scene.size(READ_THEN_ACT))
    due = sorted(scene.rng.sample(found, scene.size(_DUE)), key=found.index)
    refused = scene.rng.choice(due)
    done = [case for case in due if case != refused]
    records = case_texts(scene, found, due, states=("due", "not_due"))
    told = scene.say("answer.refused", value=sum(case.amount for case in done), name=refused.name)
    return scene.task(
        scene.goal("goal.pay", "hint.refused"),
        records=records,
        titles=listing(found),
        acts=("pay",),
        end=_reporting(paid_end(scene, done), refused.name, told),
        calls=[scene.listed(), *map(scene.read, records), *(paid(scene, case) for case in due)],
        faults=[Fault(scene.world.pay[0], refused.name, scene.say("error.refused", name=refused.name))],
    )


def _reporting(end: End, name: str, answer: str) -> End:
    """The end, whose answer also has to name what failed."""
    return End(replace(end.outcome, says=(*end.outcome.says, name)), answer)

"""Families about figures in reports: collect them, compare them, correct them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from memory_secretary.graph.evaluation.longtask.environment import Call, Fault
from memory_secretary.graph.evaluation.longtask.outcome import Deed, End, Outcome
from memory_secretary.graph.evaluation.longtask.scene import READ_ALL, Act, Report, Scene
from memory_secretary.graph.evaluation.longtask.task import LongTask

_ONE_BY_ONE = 9
"""So many figures at most are asked for one by one."""
_SLIPS = (7, 9, 18, 27, 36)
"""What a corrected figure is above the wrong one."""


def collect_report(scene: Scene) -> LongTask:
    """Read every record and report the figures with their total, or the total alone."""
    reports = scene.reports(scene.size(READ_ALL))
    each = len(reports) <= _ONE_BY_ONE and scene.kind(("each", "total")) == "each"
    end = total_end(scene, sum(report.value for report in reports))
    if not each:
        return survey(scene, reports, scene.goal("goal.total"), end=end)
    pairs = tuple((report.name, str(report.value)) for report in reports)
    lines = [scene.say("answer.pair", name=name, value=value) for name, value in pairs]
    end = End(Outcome(says=end.outcome.says, pairs=pairs), "\n".join([*lines, end.answer]))
    return survey(scene, reports, scene.goal("goal.each"), end=end)


def collect_compare(scene: Scene) -> LongTask:
    """Find the highest figure, or those above a limit that stands in a record of its own."""
    reports = scene.reports(scene.size(READ_ALL))
    if scene.kind(("highest", "exceed"), short=("highest",)) == "highest":
        return survey(scene, reports, scene.goal("goal.highest"), end=top_end(scene, reports))
    note = reports.pop(scene.rng.randrange(len(reports)))
    limit, names = above(scene, reports)
    title = scene.say("limit.title")
    text = scene.limits_text(note.name, title, limit, len(reports) + 1)
    listing = dict(sorted({**titles(reports), note.name: title}.items()))
    end = names_end(scene, names, reports)
    return survey(scene, reports, scene.goal("goal.exceed"), end=end, more={note.name: text}, listing=listing)


def correct_value(scene: Scene) -> LongTask:
    """Add up figures one or more of which are corrected: by a later record, or by the user once the sum is given."""
    reports = scene.reports(scene.size(READ_ALL))
    total = sum(report.value for report in reports)
    if scene.kind(("record", "turn")) == "turn":
        report, slip = scene.rng.choice(reports), scene.rng.choice(_SLIPS)
        turn = scene.say("turn.corrected", name=report.name, value=report.value + slip, keeper=report.keeper)
        return survey(scene, reports, scene.goal("goal.total"), turn, end=total_end(scene, total + slip))
    slips = {report: scene.rng.choice(_SLIPS) for report in scene.rng.sample(reports[:-1], max(1, len(reports) // 10))}
    extra: dict[str, str] = {}
    for report, slip in slips.items():
        later = [one.name for one in reports[reports.index(report) + 1 :]]
        place = scene.rng.choice([name for name in later if name not in extra] or later)
        right = {"value": report.value + slip, "wrong": report.value}
        extra[place] = " ".join(filter(None, [extra.get(place), scene.say("erratum", name=report.name, **right)]))
    end = total_end(scene, total + sum(slips.values()))
    return survey(scene, reports, scene.goal("goal.total", "hint.corrected"), end=end, extra=extra)


def survey(
    scene: Scene,
    reports: Sequence[Report],
    *turns: str | tuple[str, str],
    end: End,
    extra: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
    listing: Mapping[str, str] | None = None,
    skipped: Collection[str] = (),
    acts: Sequence[Act] = (),
    then: Sequence[Call] = (),
    faults: Sequence[Fault] = (),
) -> LongTask:
    """A task whose worker lists the reports and reads each of them.

    Args:
        scene: what the task is drawn with.
        reports: the records, in the order of the list.
        turns: what the user says.
        end: the right end.
        extra: one more sentence for some of the reports.
        more: the texts of records that are no reports.
        listing: names and titles, where they are not just those of the reports.
        skipped: names that need not be read.
        acts: which acts are offered.
        then: the calls after the reading.
        faults: which calls fail.
    """
    said, shown = extra or {}, listing or titles(reports)
    texts = {
        one.name: scene.report_text(one, len(reports) - len(faults), *filter(None, [said.get(one.name)]))
        for one in reports
    }
    reads = [scene.read(name) for name in shown if name not in skipped]
    return scene.task(
        *turns,
        records={**texts, **(more or {})},
        titles=shown,
        acts=acts,
        end=end,
        calls=[scene.listed(), *reads, *then],
        faults=faults,
    )


def titles(reports: Sequence[Report]) -> dict[str, str]:
    """The reports' listing."""
    return {report.name: report.title for report in reports}


def above(scene: Scene, reports: Sequence[Report]) -> tuple[int, list[str]]:
    """A limit that some of the reports exceed and none meets, and the names of those."""
    values = sorted((report.value for report in reports), reverse=True)
    few = 1 if len(values) < 4 else 2
    limit = values[scene.rng.randint(few, max(few, len(values) // 3))] + 1
    return limit, [report.name for report in reports if report.value > limit]


def total_end(scene: Scene, total: int) -> End:
    """The answer is a total."""
    return End(Outcome(says=(str(total),)), scene.say("answer.total", value=total))


def names_end(scene: Scene, names: Sequence[str], reports: Sequence[Report], deeds: Sequence[Deed] = ()) -> End:
    """The answer names some of the reports and no others."""
    others = tuple(report.name for report in reports if report.name not in names)
    outcome = Outcome(says=tuple(names), never=others, deeds=tuple(deeds))
    return End(outcome, scene.say("answer.names", names=", ".join(names)))


def top_end(scene: Scene, reports: Sequence[Report], deeds: Sequence[Deed] = ()) -> End:
    """The answer names the report with the highest figure, with the figure and no other name."""
    top = highest(reports)
    others = tuple(report.name for report in reports if report != top)
    outcome = Outcome(says=(top.name, str(top.value)), never=others, deeds=tuple(deeds))
    return End(outcome, scene.say("answer.highest", name=top.name, value=top.value))


def highest(reports: Sequence[Report]) -> Report:
    """The report with the highest figure."""
    return max(reports, key=lambda report: report.value)

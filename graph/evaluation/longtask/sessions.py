"""The family about something that was said in an earlier session and is needed now."""

from __future__ import annotations

from memory_secretary.graph.evaluation.longtask.cases import told
from memory_secretary.graph.evaluation.longtask.reports import above, highest, names_end, survey, top_end, total_end
from memory_secretary.graph.evaluation.longtask.scene import READ_ALL, Scene
from memory_secretary.graph.evaluation.longtask.task import LongTask

_EARLIER = "earlier"


def earlier_session(scene: Scene) -> LongTask:
    """Apply a rule, an addition, an exception or a name that the user told in another thread."""
    makers = {"limit": _limit, "extra": _extra, "except": _except, "deputy": _deputy}
    return makers[scene.kind(tuple(makers), short=("limit", "extra", "except"))](scene)


def _limit(scene: Scene) -> LongTask:
    reports = scene.reports(scene.size(READ_ALL))
    limit, names = above(scene, reports)
    note = _note(scene, scene.say("note.limit", value=limit))
    return survey(scene, reports, note, scene.say("goal.busy"), end=names_end(scene, names, reports))


def _extra(scene: Scene) -> LongTask:
    reports = scene.reports(scene.size(READ_ALL))
    more = scene.rng.randint(31, 99)
    note = _note(scene, scene.say("note.extra", value=more))
    end = total_end(scene, sum(report.value for report in reports) + more)
    return survey(scene, reports, note, scene.say("goal.extra"), end=end)


def _except(scene: Scene) -> LongTask:
    reports = scene.reports(scene.size(READ_ALL) + 1)
    trial = scene.rng.choice(reports)
    note = _note(scene, scene.say("note.except", name=trial.name))
    end = total_end(scene, sum(report.value for report in reports if report != trial))
    return survey(scene, reports, note, scene.say("goal.except"), end=end, skipped=[trial.name])


def _deputy(scene: Scene) -> LongTask:
    reports = scene.reports(scene.size(READ_ALL) - 1)
    top, deputy = highest(reports), scene.person()
    note = _note(scene, scene.say("note.deputy", person=deputy))
    end = top_end(scene, reports, [told(scene, deputy, top.name)])
    then = [scene.act("tell", deputy, top.name)]
    return survey(scene, reports, note, scene.say("goal.deputy"), end=end, acts=("tell",), then=then)


def _note(scene: Scene, text: str) -> tuple[str, str]:
    """A turn of the earlier session, with something else behind it."""
    return _EARLIER, scene.sentences(text, scene.say("note.chatter"))

"""Formats answers for tenants as text."""

from collections.abc import Iterator

from coschedule import GangKey
from lockstep.answers.plan.text import wrapped
from lockstep.answers.queue.on_nodes import OnNodes
from lockstep.answers.queue.queue import Queued
from lockstep.answers.queue.queue_text import queue_lines, running_lines
from lockstep.api.preemption import gang_name
from lockstep.api.times import epoch_seconds
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.report.text.sentences import duration, n_gangs, n_members, n_nodes
from lockstep.tenants.documents import Document


def note_on_answer(document: Document, now: float) -> str:
    """A sentence that says where the answer is from and how old it is."""
    age = max(0.0, now - (epoch_seconds(document["now"]) or now))
    return f"Your rights do not suffice to plan here. This answer of the cluster's API for tenants is {age:.0f} s old."


def note_on_history(document: Document) -> str:
    """A sentence that says where the rows are from, and which namespace they are about."""
    return f"The cluster's API for tenants shows what is on record of namespace {document['metadata']['namespace']}."


def queue_answer_lines(document: Document) -> Iterator[str]:
    """The lines about a namespace's running and waiting gangs, and about the gangs of all namespaces together."""
    namespace, now = document["metadata"]["namespace"], epoch_seconds(document["now"]) or 0
    # Answers of an earlier version lack the two fields for running gangs.
    running = [_on_nodes(one, namespace) for one in document.get("running", ())]
    yield from running_lines(running, now, left_out=document.get("runningLeftOut", 0))
    yield from queue_lines([_queued(one, namespace) for one in document["gangs"]], now, namespace)
    if document["leftOut"]:
        yield f"({document['leftOut']} more gangs wait)"
    if running or document["gangs"]:
        yield from _use_of_group(document)
    yield ""
    yield from _others(document)


def explanation_lines(document: Document) -> Iterator[str]:
    """The lines that say why a gang has its size, nodes and start."""
    metadata, plan = document["metadata"], document["plan"]
    name = gang_name(GangKey(metadata["namespace"], metadata["name"]))
    yield from wrapped(f"{name} is {document['phase'].lower()}.")
    if document["size"] is not None:
        ends = f" It is expected to end at {document['finish']}." if document["finish"] else ""
        yield from wrapped(f"{n_members(document['size'])} since {document['start']}.{ends}", "  ")
    if plan is not None:
        yield from _plan(plan)
    elif document["size"] is None:
        yield from wrapped("It is not in this plan: its conditions say more (kubectl describe).", "  ")
    yield from _use_of_group(document)
    yield ""
    yield from _others(document)


def plan_lines(document: Document) -> Iterator[str]:
    """The lines that say what a plan with a supposed GangJob would do with it."""
    metadata, plan = document["metadata"], document["plan"]
    name = gang_name(GangKey(metadata["namespace"], metadata["name"]))
    if plan["run"] is None:
        yield from wrapped(f"{name} has no place. {plan['message']}")
    else:
        run = plan["run"]
        yield from wrapped(f"{name} starts {_within(run['startsWithinMinutes'])} with {n_members(run['size'])}.")
    yield from _beside(plan)
    yield ""
    yield f"  {'members':>9}  {'starts':>15}  {'ends':>15}"
    for row in plan["sizes"]:
        starts, ends = (_within(row[key]) for key in ("startsWithinMinutes", "endsWithinMinutes"))
        yield f"  {row['size']:>9}  {starts:>15}  {ends:>15}"
    yield from (line for sentence in plan["notNow"] for line in wrapped(sentence, "  "))
    yield from _delays(document)
    yield ""
    yield from _others(document)


def _use_of_group(document: Document) -> Iterator[str]:
    # Answers of an earlier version lack this field.
    if document.get("useOfGroup"):
        yield from wrapped(document["useOfGroup"], "  ")


def sweep_plan_answer_lines(document: Document) -> Iterator[str]:
    """The lines that say what a plan with a supposed GangSweep would do with it."""
    metadata, plan = document["metadata"], document["plan"]
    name = f"{metadata['namespace']}/{metadata['name']}"
    yield from wrapped(f"GangSweep {name} has {plan['runs']} runs. {plan['message']}")
    starts = f"The first run would start {_within(plan['startsWithinMinutes'])}"
    yield from wrapped(f"{starts}. {plan['startNow']} of its first {plan['planned']} runs would start now.", "  ")
    yield from wrapped(f"All runs would have ended {_within(plan['endsWithinMinutes'])}.", "  ")
    yield from wrapped(f"In front of it in the plan: {n_gangs(plan['ahead']['gangs'])}.", "  ")
    yield from _delays(document)
    yield ""
    yield from _others(document)


def _delays(document: Document) -> Iterator[str]:
    for one in document["plan"]["delays"]:
        minutes = one["withinMinutes"]
        then = "no longer start" if minutes is None else f"start later, by {duration(60.0 * minutes)} at most"
        yield from wrapped(f"{document['metadata']['namespace']}/{one['name']} would {then}.", "  ")


def _within(minutes: int | None) -> str:
    if minutes is None:
        return "at an unknown time"
    return f"within {duration(60.0 * minutes)}" if minutes else "at once"


def _plan(plan: Document) -> Iterator[str]:
    yield from wrapped(plan["message"], "  ")
    yield from _beside(plan)
    yield ""
    yield f"  {'members':>9}  {'starts':>20}  {'ends':>20}"
    for row in plan["sizes"]:
        mark = "*" if row["size"] == plan["size"] else " "
        yield f" {mark}{row['size']:>9}  {row['start'] or 'never':>20}  {row['finish'] or '-':>20}"
    yield from (line for sentence in plan["notNow"] for line in wrapped(sentence, "  "))
    yield from _sooner(plan)


def _beside(plan: Document) -> Iterator[str]:
    """The lines about other gangs: how many are planned before, and how many are evicted or shrink."""
    ahead = plan["ahead"]
    yield from wrapped(
        f"In front of it in the plan: {n_gangs(ahead['gangs'])}, with {n_members(ahead['members'])}.", "  "
    )
    for count, what in ((plan["evicts"], "evicted"), (plan["shrinks"], "made smaller")):
        if count:
            yield from wrapped(f"{n_gangs(count)} {'is' if count == 1 else 'are'} {what} for it.", "  ")


def _sooner(plan: Document) -> Iterator[str]:
    for one in plan["sooner"]:
        start = f"within {one['withinMinutes']} min" if one["withinMinutes"] else "at once"
        yield from wrapped(f"- if {one['if']}, this gang would start {start} with {n_members(one['size'])}", "  ")


def _others(document: Document) -> Iterator[str]:
    others = document["others"]
    counts = f"{n_gangs(others['waiting'])} planned, {n_gangs(others['running'])} on nodes"
    yield from wrapped(f"All namespaces: {counts} with {n_members(others['members'])}.")
    freed = [f"{n_nodes(one['nodes'])} within {duration(60.0 * one['withinMinutes'])}" for one in others["freed"]]
    lasting = [f"{n_nodes(others['lasting'])} at an unknown time"] if others["lasting"] else []
    if freed or lasting:
        yield from wrapped(f"Expected to become free: {', '.join([*freed, *lasting])}.", "  ")


def _on_nodes(shown: Document, namespace: str) -> OnNodes:
    return OnNodes(
        gang=_key(shown, namespace),
        state=shown["state"],
        size=shown["size"],
        nodes=shown["nodes"],
        since=epoch_seconds(shown["since"]) or 0,
        finish=epoch_seconds(shown["expectedFinish"]),
    )


def _queued(shown: Document, namespace: str) -> Queued:
    return Queued(
        gang=_key(shown, namespace),
        behind="",
        position=shown["position"],
        size=shown["size"],
        start=epoch_seconds(shown["start"]),
        latest=epoch_seconds(shown["latestStart"]),
    )


def _key(shown: Document, namespace: str) -> GangKey:
    return (pod_gang_key if shown["kind"] == "Gang" else GangKey)(namespace, shown["name"])

"""Formats answers as text: plain lines of at most 100 columns, without colours."""

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from coschedule import Decision, Placement, RoomNow
from lockstep.answers.plan.chart import Marks, bars
from lockstep.answers.plan.clauses import format_change, format_price, format_work_used
from lockstep.answers.plan.recorded import Difference
from lockstep.answers.plan.unplanned_gangs import UnplannedAnswer
from lockstep.answers.plan.waiting import Helped, SizeRow, WaitingAnswer
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
from lockstep.belief.gangs.phases import Phase
from lockstep.report.text.placement_sentences import chosen
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.report.text.room_clauses import nodes_failing
from lockstep.report.text.sentences import (
    as_sentence,
    duration,
    listed,
    member_price,
    n_members,
    n_nodes,
    node_ranges,
    waits_for_victims,
)
from lockstep.report.text.size_sentences import shrink_for, size_change

_COLUMNS = 100
_MOST_HELPS = 3
_MOST_SPEEDS = 8
_MOST_CHANGES = 3


def unplanned_lines(answer: UnplannedAnswer) -> Iterator[str]:
    """The answer about a gang that does not wait for a plan."""
    yield from wrapped(f"{gang_name(answer.gang)}{_stands(answer.phase)} {answer.message}")
    if answer.likely is not None:
        start, size = rfc3339(answer.likely.likely_start), n_members(answer.likely.size)
        yield from wrapped(f"It is likely to start at {start} with {size}. This start is not promised.", "  ")
    if answer.why is not None:
        yield from wrapped(f"Its plan was: {answer.why}", "  ")
    if answer.start is not None and answer.size is not None:
        ends = "" if answer.finish is None else f", and is expected to end at {rfc3339(answer.finish)}"
        yield from wrapped(f"It has had {n_members(answer.size)} since {rfc3339(answer.start)}{ends}.", "  ")
    if answer.why_this_size is not None:
        yield from wrapped(answer.why_this_size, "  ")
    if answer.work_used is not None:
        yield from wrapped(format_work_used(answer.work_used), "  ")
    if answer.member_price is not None:
        yield from wrapped(f"When it was planned, {member_price(answer.member_price)}.", "  ")


def _stands(phase: Phase) -> str:
    match phase:
        case Phase.AWAITS_PODS:
            # Some pods of the Gang may run. So the phase alone would mislead: the message says what the Gang does.
            return ":"
        case Phase.AWAITS_OTHERS:
            return " waits for others."
        case Phase.DELETED | Phase.REFUSED | Phase.SUSPENDED | Phase.WAITING | Phase.BACKING_OFF:
            return f" is {phase.lower()}."
        case Phase.RESERVED | Phase.PLACED | Phase.COMPLETE:
            return f" is {phase.lower()}."
        case _:
            assert_never(phase)


def waiting_lines(answer: WaitingAnswer, marks: Marks) -> Iterator[str]:
    """The answer about a waiting gang, with the reasons for the decision."""
    yield from _decision(answer)
    if answer.use_of_group:
        yield from wrapped(f"It is planned as number {answer.position} of {answer.queued}: {answer.use_of_group}.")
    yield from _size(answer, marks)
    yield from _nodes(answer)
    if not answer.starts_now:
        yield from _not_now(answer)
        yield from _sooner(answer)


def _decision(answer: WaitingAnswer) -> Iterator[str]:
    decision = answer.decision
    if not isinstance(decision, Placement):
        yield from wrapped(f"{gang_name(answer.gang)} has no place, now or later: {format_refusal(decision.refusal)}.")
        if decision.hold is not None:
            yield from wrapped(f"Until it fits, it keeps {node_ranges(decision.hold.nodes)} free for itself.")
        yield from wrapped(answer.nodes_requested)
        return
    yield from wrapped(f"{gang_name(answer.gang)} {_when(answer, decision)}: {chosen(decision, now=answer.now)}.")
    if answer.victims:
        yield from wrapped(waits_for_victims(answer.victims))
    for change in answer.shrinks:
        yield from wrapped(f"For it, gang {gang_name(change.gang)} {shrink_for(change)}.")
    for change in answer.changes[:_MOST_CHANGES]:
        yield from wrapped(f"In the same plan, {gang_name(change.gang)} {size_change(change)}.")
    if len(answer.changes) > _MOST_CHANGES:
        yield f"({len(answer.changes) - _MOST_CHANGES} more gangs change their size)"
    if answer.work_used is not None:
        yield from wrapped(format_work_used(answer.work_used))


def _when(answer: WaitingAnswer, placement: Placement) -> str:
    start = "starts now" if answer.starts_now else f"starts in {duration(placement.start - answer.now)}"
    return start if math.isinf(placement.finish) else f"{start} and ends in {duration(placement.finish - answer.now)}"


def _size(answer: WaitingAnswer, marks: Marks) -> Iterator[str]:
    yield ""
    yield from wrapped(as_sentence(f"why this size: {format_price(answer.price)}"))
    if not any(row.run for row in answer.sizes):
        yield "  None of its sizes fits."
        return
    rows = list(_size_rows(answer))
    legend = f"{marks.finish} until its end, {marks.price} cost to others"
    yield f"  {'members':>9}  {'starts in':>12}  {'ends in':>12}  {legend}"
    drawn = bars([_lengths(row, answer.now) for row in answer.sizes], marks)
    yield from (f"{text}  {bar}".rstrip() for text, bar in zip(rows, drawn, strict=True))
    yield from wrapped(_rule(answer), "  ")
    if len(answer.sizes) < answer.possible:
        yield f"  ({len(answer.sizes)} of {answer.possible} sizes are shown)"


def _rule(answer: WaitingAnswer) -> str:
    """A sentence that names the rule for the gang's size; '' if no sentence is needed.

    A gang without a placement needs no sentence. A gang that states its run time needs none in two cases. It has no
    deadline, and the bar of its size in the chart is the shortest. Or it gets the fewest members without a deadline.
    """
    if not isinstance(answer.decision, Placement):
        return ""
    if math.isinf(answer.decision.finish):
        return "It states no run time: it gets as many members as fit, as soon as possible."
    if answer.deadline is not None and math.isfinite(answer.deadline):
        return f"Its deadline is {rfc3339(answer.deadline)}: it gets the fewest members that meet this deadline."
    if answer.deadline is None and not answer.is_best:
        return "It keeps its earlier plan, so that no promise is broken: another size would be better by now."
    return ""


def _size_rows(answer: WaitingAnswer) -> Iterator[str]:
    size = answer.decision.size if isinstance(answer.decision, Placement) else None
    for row in answer.sizes:
        mark = "*" if row.size == size else " "
        if row.run is None:
            yield f" {mark}{row.size:>9}  {'never':>12}  {'':>12}"
        else:
            start, finish = (_span(time - answer.now) for time in (row.run.start, row.run.finish))
            yield f" {mark}{row.size:>9}  {start:>12}  {finish:>12}"


def _lengths(row: SizeRow, now: float) -> tuple[float, float]:
    """The seconds until a run with this size ends, and the seconds that it costs other gangs; 0 if unknown."""
    if row.run is None or math.isinf(row.run.value):
        return 0.0, 0.0
    return row.run.finish - now, row.run.value - row.run.finish


def _span(seconds: float) -> str:
    if math.isinf(seconds):
        return "-"
    return "now" if seconds < 1 else duration(seconds)


def _nodes(answer: WaitingAnswer) -> Iterator[str]:
    if not isinstance(answer.decision, Placement) or answer.slowest is None:
        return
    yield ""
    yield "Why these nodes: they are the fastest that pass its constraints and have room from start to finish."
    yield from _speeds(answer)
    times = f"{answer.slowest:.4g}"
    if times != "1":
        slowest = f"The slowest is {answer.decision.slowest}: a member takes {times} times as long there"
        yield from wrapped(f"{slowest} as on an idle reference node.", "  ")
    if answer.latest is not None:
        when = "" if answer.latest_of is None else f", when {gang_name(answer.latest_of)} ends"
        yield from wrapped(f"{answer.latest} gets room last{when}.", "  ")


def _speeds(answer: WaitingAnswer) -> Iterator[str]:
    has_roles = len({group.role for group in answer.speeds}) > 1
    for group in answer.speeds[:_MOST_SPEEDS]:
        role = f"{group.role}: " if has_roles else ""
        counts = f"{n_nodes(group.passing)}, {group.with_room} with room, {group.used} used"
        yield f"  {role}slow-down {group.slowdown:.4g}: {counts}"
    if len(answer.speeds) > _MOST_SPEEDS:
        yield f"  ({len(answer.speeds) - _MOST_SPEEDS} more speeds)"


def _not_now(answer: WaitingAnswer) -> Iterator[str]:
    yield ""
    yield "Why not now:"
    if answer.not_before is not None:
        yield from wrapped(
            f"It does not start before {rfc3339(answer.not_before)}; these counts are for that time.", "  "
        )
    for sentence in room_sentences(answer.room):
        yield from wrapped(sentence, "  ")
    other = answer.decision.alternative if isinstance(answer.decision, Placement) else None
    if other is not None:
        ends = "" if math.isinf(other.finish) else f" and end in {duration(other.finish - answer.now)}"
        yield from wrapped(f"It could start now with {n_members(other.size)}{ends}, which is worse.", "  ")


def room_sentences(rooms: Sequence[RoomNow]) -> Iterator[str]:
    """For each role, how many members it needs, and how many nodes have room for them now.

    If there is only one role, the sentence leaves out its name, because the user's spec may have no roles.
    """
    for room in rooms:
        needing = f"role {room.role}" if len(rooms) > 1 else "it"
        failing = nodes_failing(room.failures)
        rest = f"{room.with_room} with room for {n_members(room.slots)}"
        needs = as_sentence(f"{needing} needs {n_members(room.needed)} at least")
        yield f"{needs} Of {n_nodes(room.nodes)}: {', '.join(filter(None, (failing, rest)))}."


def _sooner(answer: WaitingAnswer) -> Iterator[str]:
    yield ""
    if not answer.helps:
        yield f"What would let it start sooner: no single change. Lockstep tried {answer.tried}."
        return
    yield "What would let it start sooner:"
    for help_ in answer.helps[:_MOST_HELPS]:
        yield from wrapped(f"- if {_help(help_, answer.now)}", "  ")


def _help(helped: Helped, now: float) -> str:
    then = helped.placement
    wait = "at once" if then.start - now < 1 else f"in {duration(then.start - now)}"
    ends = "" if math.isinf(then.finish) else f", and end in {duration(then.finish - now)}"
    return f"{format_change(helped.change)}, this gang would start {wait} with {n_members(then.size)}{ends}"


def delays_line(delays: Sequence[tuple[str, float]]) -> str:
    """A sentence that names the gangs that would start later, each with its delay.

    ``delays`` has gangs and seconds, where inf means that a gang has no placement any more.
    """
    others = [f"{name} by {duration(by)}" if math.isfinite(by) else f"{name} indefinitely" for name, by in delays]
    return f"Gangs that would start later: {listed(others)}." if others else "No other gang would start later."


def difference_lines(difference: Difference, now: float) -> Iterator[str]:
    """The recorded decision about a gang, and the decision made now."""
    yield f"{gang_name(difference.gang)}:"
    for what, decision in (("recorded", difference.recorded), ("now", difference.decided)):
        yield from wrapped(f"{what}: {_clause(decision, now)}", "  ")


def _clause(decision: Decision, now: float) -> str:
    if not isinstance(decision, Placement):
        return f"{decision.reason}, {format_refusal(decision.refusal)}"
    end = "" if math.isinf(decision.finish) else f". The end is expected at {rfc3339(decision.finish)}"
    return f"{chosen(decision, now=now)}{end}"


def printable(line: str) -> str:
    r"""The line, in which escapes such as \x1b replace characters that may control a terminal."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line)


def wrapped(sentence: str, indent: str = "") -> Iterable[str]:
    """The lines of a wrapped sentence. All but the first are indented further."""
    return textwrap.wrap(
        sentence,
        width=_COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )

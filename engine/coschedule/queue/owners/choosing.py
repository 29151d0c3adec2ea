"""The choice of a run where node owners may come back.

The candidates are the best run within each of a few risks (``safer.py``), and the best run at any risk. The gang gets
the run with the least value plus expected loss. A lost second costs as much as a second of the run
(``queue.problem.price``). So an interruptible gang avoids owners unless it gains more than their return would cost on
average. If runs are equal, the gang gets the safest of them. A gang that may not be interrupted gets the best run
without any risk.

With a deadline, the expected loss is added to the finish. Runs that then still meet the deadline come first, then runs
with fewer members, then earlier finishes. Where the run time is unknown, so is the loss: the earliest start comes
first, then more members.
"""

from collections.abc import Iterator

import numpy as np

from coschedule.queue.choosing.choice import Choice, Chooser
from coschedule.queue.choosing.own_speeds import own_timeline, shared_ranks
from coschedule.queue.owners.hazards import Hazards, Loss
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.slots.timeline import Timeline

_Merit = tuple[float, ...]


def choose_among_risks(chooser: Chooser, timeline: Timeline, hazards: Hazards | None) -> Choice | None:
    """Choose a run of the chooser's gang, as the module docstring says; None if the gang does not fit."""
    own = own_timeline(chooser.gang, timeline)
    choice = _choose(chooser, own, hazards)
    return choice if choice is None or own is timeline else choice.ranked(shared_ranks(own, timeline))


def _choose(chooser: Chooser, timeline: Timeline, hazards: Hazards | None) -> Choice | None:
    gang = chooser.gang
    if hazards is None or gang.interruptible is Interruptible.NEVER:
        return chooser.choose(without_risk(gang, timeline))
    boldest = chooser.choose(timeline)
    if boldest is None:
        return None
    least = _merit(boldest, gang, loss_of(boldest, gang, timeline, hazards))
    best = boldest
    for choice in _safer_choices(chooser, timeline, boldest, hazards):
        merit = _merit(choice, gang, loss_of(choice, gang, timeline, hazards))
        if merit < least or (best is boldest and merit == least):
            best, least = choice, merit
    return best


def seen_by(gang: PendingGang, timeline: Timeline) -> Timeline:
    """Return the timeline for a gang: with its own slow-downs, and without hours at risk if it is not interruptible."""
    return own_timeline(gang, without_risk(gang, timeline))


def without_risk(gang: PendingGang, timeline: Timeline) -> Timeline:
    """Return the timeline, without hours at risk if the gang may not be interrupted."""
    return timeline.safer[0] if timeline.safer and gang.interruptible is Interruptible.NEVER else timeline


def loss_of(choice: Choice, gang: PendingGang, timeline: Timeline, hazards: Hazards) -> Loss:
    """Return the expected loss of a run, in seconds of work."""
    ranks = np.unique(np.concatenate([nodes.ranks for nodes in choice.seats]))
    outline = choice.outline
    return hazards.loss(timeline.node[ranks], outline.start, outline.finish, gang.checkpoint_interval)


def _safer_choices(chooser: Chooser, timeline: Timeline, boldest: Choice, hazards: Hazards) -> Iterator[Choice]:
    """List the best run within each risk, the safest first; nothing where the boldest run has no risk."""
    if loss_of(boldest, chooser.gang, timeline, hazards).probability > 0:
        for safer in timeline.safer:
            choice = chooser.choose(safer)
            if choice is not None:
                yield choice


def _merit(choice: Choice, gang: PendingGang, loss: Loss) -> _Merit:
    """Return the merit of a run; the least tuple is the best."""
    outline = choice.outline
    if gang.work is None:
        return (outline.start, -outline.size)
    if gang.deadline is not None:
        finish = outline.finish + loss.seconds
        return (finish > gang.deadline, outline.size, finish)
    weight = 1.0 + gang.price.seconds * outline.size
    return (outline.value + loss.seconds * weight,)

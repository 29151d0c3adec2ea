"""All events that the operator posts, with one constructor for each.

Events report transitions, after the status about them was written. Reasons are public names.
"""

from dataclasses import replace

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.cluster.event import Event, EventSubject, event_manifest
from lockstep.api.preemption import gang_name
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import ANOTHERS
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reason_meanings import MEANINGS
from lockstep.facts.reasons import EventReason, Reason
from lockstep.facts.sweeps.sweep import RunFailure
from lockstep.report.text.sentences import as_sentence, n_members, n_pods

NORMAL, WARNING = "Normal", "Warning"


def gang_placed(note: str) -> Event:
    """The event that every member is bound."""
    return Event(kind=NORMAL, reason=EventReason.GANG_PLACED, action="Bind", note=note)


def gang_starts_later(note: str) -> Event:
    """The event that the gang reaches its best finish if it starts later."""
    return Event(kind=NORMAL, reason=EventReason.GANG_STARTS_LATER, action="Plan", note=note)


def gang_holds_nodes(note: str) -> Event:
    """The event that the gang holds nodes until other gangs or pods have ended, at an unknown time."""
    return Event(kind=NORMAL, reason=EventReason.GANG_HOLDS_NODES, action="Plan", note=note)


def gang_unplaceable(note: str) -> Event:
    """The event that the gang fits on no nodes."""
    return Event(kind=WARNING, reason=EventReason.GANG_UNPLACEABLE, action="Plan", note=note)


def not_accepted(refusal: Refusal) -> Event:
    """The event that the spec can't be accepted.

    The event has another reason if the cause is a claim or a kubelet, not the spec.
    """
    reason = MEANINGS[refusal.reason].refused
    return Event(kind=WARNING, reason=reason, action="Validate", note=refusal.message)


def changed_by_admission(words: str) -> Event:
    """The event that admission changes the members. They are planned as changed."""
    note = f"Admission changes the members, and Lockstep plans them as changed: {words}."
    return Event(kind=NORMAL, reason=EventReason.CHANGED_BY_ADMISSION, action="Plan", note=note)


def bind_interrupted(failure: Failure) -> Event:
    """The event that an attempt failed and is torn down completely. The most frequent causes have their own reasons."""
    reason = MEANINGS[failure.reason].undone
    is_own = reason is not EventReason.BIND_INTERRUPTED
    note = as_sentence(failure.message) if is_own else f"{failure.reason}: {failure.message}."
    return Event(kind=WARNING, reason=reason, action="Bind", note=note)


def names_do_not_resolve(failure: Failure) -> Event:
    """The event that the gang has no Service. Its members still run, because its spec does not ask for a network."""
    note = f"{failure.reason}: {failure.message}. The members run without a Service."
    return Event(kind=WARNING, reason=EventReason.NAMES_DO_NOT_RESOLVE, action="Bind", note=note)


def status_refused(message: str) -> Event:
    """The event that the API server refuses the gang's status. So nothing can be reserved or reported."""
    note = f"The API server refuses the status of this gang: {message}"
    return Event(kind=WARNING, reason=EventReason.STATUS_REFUSED, action="Report", note=note)


def gang_undoing(failure: Failure, note: str) -> Event:
    """The event that a teardown takes long. ``note`` says what it waits for.

    It is a warning, unless a user caused the teardown.
    """
    kind = NORMAL if failure.is_users_own else WARNING
    return Event(kind=kind, reason=EventReason.GANG_UNDOING, action="Undo", note=as_sentence(note))


def gang_restarting(note: str) -> Event:
    """The event that a member failed, and that the gang is restarted by its failure policy."""
    return Event(kind=WARNING, reason=EventReason.GANG_RESTARTING, action="Restart", note=note)


def gang_suspended(note: str) -> Event:
    """The event that the gang is suspended and holds nothing any more."""
    return Event(kind=NORMAL, reason=EventReason.GANG_SUSPENDED, action="Suspend", note=note)


def gang_resumed(note: str) -> Event:
    """The event that the gang is no longer suspended."""
    return Event(kind=NORMAL, reason=EventReason.GANG_RESUMED, action="Resume", note=note)


def gang_preempted(why: str) -> Event:
    """The event that the gang is evicted for a more urgent gang. ``why`` names that gang."""
    note = f"{as_sentence(why)} This gang is planned again when its members have ended."
    return Event(kind=WARNING, reason=EventReason.GANG_PREEMPTED, action="Preempt", note=note)


def preempted_for_gang(victim: GangKey, *, gives_way: str = "is evicted") -> Event:
    """The event that another gang gives way to this one.

    ``gives_way`` says how. ``victim`` is the key that users of this gang may read.
    """
    who = as_sentence(gang_name(victim)).rstrip(".") if victim == ANOTHERS else f"Gang {gang_name(victim)}"
    note = f"{who} {gives_way} for this gang. This gang starts when members of the other gang have ended."
    return Event(kind=NORMAL, reason=EventReason.PREEMPTED_FOR_GANG, action="Preempt", note=note)


def gang_paced(note: str) -> Event:
    """The event that members are paced differently than before."""
    return Event(kind=NORMAL, reason=EventReason.GANG_PACED, action="Pace", note=note)


def gang_will_change_size(what: str) -> Event:
    """The event that the members of a running gang have notice of its next size."""
    note = f"{as_sentence(what)} Its members can read this notice, and continue to work until then."
    return Event(kind=NORMAL, reason=EventReason.GANG_WILL_CHANGE_SIZE, action="Resize", note=note)


def gang_changes_size(why: str, *, others_run: bool = False) -> Event:
    """The event that a running gang changes its size.

    Its members end, or some join or leave while ``others_run``.
    """
    then = (
        "The other members continue to run."
        if others_run
        else "The members end, and the gang continues at the new size."
    )
    note = f"{as_sentence(why)} {then}"
    return Event(kind=NORMAL, reason=EventReason.GANG_CHANGES_SIZE, action="Resize", note=note)


def size_chosen(size: int, allowed: range) -> Event:
    """The event that the number of pods is chosen for an owner in a queue of Kueue. The event is about the owner."""
    note = f"It gets {n_pods(size)}; {allowed[0]} to {allowed[-1]} are allowed. Kueue decides when to admit them."
    return Event(kind=NORMAL, reason=EventReason.SIZE_CHOSEN, action="Plan", note=note)


def size_not_chosen(why: str) -> Event:
    """The event that no number of pods can be chosen for an owner in a queue of Kueue. It is about the owner."""
    note = as_sentence(f"its number of pods can't be chosen: {why}")
    return Event(kind=WARNING, reason=EventReason.SIZE_NOT_CHOSEN, action="Plan", note=note)


def quota_given_back(why: str) -> Event:
    """The event that a Workload of Kueue gives its quota back. The event is about the Workload.

    The check of the Workload shows this only for a short time.
    """
    return Event(kind=NORMAL, reason=EventReason.QUOTA_GIVEN_BACK, action="Plan", note=as_sentence(why))


def members_joined(size: int) -> Event:
    """The event that new members have joined the gang, and that all of them run."""
    note = f"All new members run: the gang has {n_members(size)} now."
    return Event(kind=NORMAL, reason=EventReason.MEMBERS_JOINED, action="Resize", note=note)


def size_change_dropped(why: str, *, goes_on: bool = False) -> Event:
    """The event that the gang can't continue at its next size.

    It ``goes_on`` at its present size if its members were not asked to end yet.
    """
    then = "The gang keeps its size." if goes_on else "The gang is planned again."
    note = f"The change of size was dropped: {why}. {then}"
    return Event(kind=WARNING, reason=EventReason.SIZE_CHANGE_DROPPED, action="Resize", note=note)


def gang_overruns(note: str) -> Event:
    """The event that the gang runs longer than planned."""
    return Event(kind=WARNING, reason=EventReason.GANG_OVERRUNS, action="Watch", note=note)


def owner_returned(why: str) -> Event:
    """The event that the gang is interrupted because a node owner has returned. ``why`` names the node."""
    note = f"{as_sentence(why)} The gang is planned again at once. This does not count as a failure of the gang."
    return Event(kind=WARNING, reason=EventReason.OWNER_RETURNED, action="Interrupt", note=note)


def pods_leave(failure: Failure, how: str) -> Event:
    """The event that the pods of a Gang had to leave a node, and left. ``how`` is a clause."""
    return _about_leaving(failure, how)


def pods_stay(failure: Failure, why: str) -> Event:
    """The event that the pods of a Gang should leave a node, and stay. ``why`` is a clause."""
    return _about_leaving(failure, f"its pods stay: {why}")


def _about_leaving(failure: Failure, answer: str) -> Event:
    is_owner = failure.reason is Reason.OWNER_RETURNED
    reason = EventReason.OWNER_RETURNED if is_owner else EventReason.POD_LOST
    return Event(kind=WARNING, reason=reason, action="Interrupt", note=as_sentence(f"{failure.message}; {answer}"))


def gang_missing(why: str) -> Event:
    """The event that the Gang of a pod does not exist, or can't be created. The event is about the pod."""
    return Event(kind=WARNING, reason=EventReason.GANG_MISSING, action="Plan", note=as_sentence(why))


def pods_missing(why: str) -> Event:
    """The event that some pods of a Gang have waited long for others. It is about their owner, or one of the pods."""
    return Event(kind=WARNING, reason=EventReason.PODS_MISSING, action="Plan", note=as_sentence(why))


def pods_wait(event: Event) -> Event:
    """The event that the pods of an owner wait, from the ``event`` about their Gang. It is posted once for each note.

    Several Gangs of one owner may have the same note.
    """
    return replace(event, note=f"Its pods wait. {event.note}", posted_once=True)


def owner_suspended(why: str) -> Event:
    """The event that the owner of pods is suspended until the pods are gone. The event is about the owner."""
    return Event(kind=WARNING, reason=EventReason.OWNER_SUSPENDED, action="Undo", note=as_sentence(why))


def owner_not_resumed(why: str) -> Event:
    """The event that a suspended owner of pods should run again, but the API server refuses the resumption."""
    note = as_sentence(f"it is still suspended, since Lockstep can't resume it yet: {why}")
    return Event(kind=WARNING, reason=EventReason.OWNER_SUSPENDED, action="Undo", note=note)


def pods_evicted(why: str) -> Event:
    """The event that the pods of a Gang were evicted. The event is about their owner."""
    return Event(kind=WARNING, reason=EventReason.PODS_EVICTED, action="Undo", note=as_sentence(why))


def gang_succeeded(note: str) -> Event:
    """The event that every required member has succeeded."""
    return Event(kind=NORMAL, reason=EventReason.GANG_SUCCEEDED, action="Watch", note=note)


def gang_failed(note: str) -> Event:
    """The event that the gang has failed. ``note`` says why."""
    return Event(kind=WARNING, reason=EventReason.GANG_FAILED, action="Watch", note=note)


def sweep_started(runs: int, why_this_size: str) -> Event:
    """The event that the first run of a sweep was created. This event and the events below are about the sweep."""
    note = as_sentence(f"the first of {runs} runs is created. {why_this_size}".rstrip())
    return Event(kind=NORMAL, reason=EventReason.SWEEP_STARTED, action="Make", note=note)


def sweep_size_changed(before: int, size: int, why: str) -> Event:
    """The event that the next runs of a sweep have another size."""
    note = f"New runs have {n_members(size)} instead of {before}. {why}".rstrip()
    return Event(kind=NORMAL, reason=EventReason.SWEEP_SIZE_CHANGED, action="Resize", note=note)


def sweep_run_failed(failure: RunFailure) -> Event:
    """The event that a run of a sweep has failed for good. It is posted only for failures in the sweep's status."""
    note = f"Run {failure.run} has failed ({failure.reason}): {failure.message}"
    return Event(kind=WARNING, reason=EventReason.SWEEP_RUN_FAILED, action="Count", note=note)


def sweep_refused(why: str) -> Event:
    """The event that no run of a sweep can be created."""
    return Event(kind=WARNING, reason=EventReason.SWEEP_REFUSED, action="Validate", note=why)


def sweep_complete(counts: str) -> Event:
    """The event that enough runs of a sweep have ended."""
    return Event(kind=NORMAL, reason=EventReason.SWEEP_COMPLETE, action="Count", note=counts)


def sweep_failed(counts: str) -> Event:
    """The event that too many runs of a sweep have failed, or too few are left."""
    return Event(kind=WARNING, reason=EventReason.SWEEP_FAILED, action="Count", note=counts)


async def post_event(client: KubeClient, subject: EventSubject, event: Event, *, instance: str, now: float) -> None:
    """Post an event. Its name depends on its content, so a retry creates no second event."""
    manifest = event_manifest(subject, event, instance=instance, now=now)
    await client.create(paths.events_of(subject.namespace), manifest, Urgency.REPORT)

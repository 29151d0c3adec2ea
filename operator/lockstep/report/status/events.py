"""Every event we post: one constructor each, in one place.

Events tell of transitions, and only after the status that they speak of was written. Reasons are public names.
"""

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.cluster.event import Event, event_manifest
from lockstep.api.preemption import spelled_gang
from lockstep.facts.gang.gang import GangFact, Refusal
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reason_meanings import meaning_of
from lockstep.facts.reasons import EventReason
from lockstep.report.text.sentences import as_sentence

NORMAL, WARNING = "Normal", "Warning"


def gang_placed(note: str) -> Event:
    """Every member is bound."""
    return Event(kind=NORMAL, reason=EventReason.GANG_PLACED, action="Bind", note=note)


def gang_starts_later(note: str) -> Event:
    """The gang does best if it starts later."""
    return Event(kind=NORMAL, reason=EventReason.GANG_STARTS_LATER, action="Plan", note=note)


def gang_holds_nodes(note: str) -> Event:
    """The gang fits when others have ended, nobody knows when, and keeps nodes from those behind it until then."""
    return Event(kind=NORMAL, reason=EventReason.GANG_HOLDS_NODES, action="Plan", note=note)


def gang_unplaceable(note: str) -> Event:
    """The gang fits nowhere."""
    return Event(kind=WARNING, reason=EventReason.GANG_UNPLACEABLE, action="Plan", note=note)


def not_accepted(refusal: Refusal) -> Event:
    """The spec asks for what can't be obeyed. Where nothing in it is wrong, but a claim or a kubelet, that is said."""
    reason = meaning_of(refusal.reason).refused
    return Event(kind=WARNING, reason=reason, action="Validate", note=refusal.message)


def changed_by_admission(words: str) -> Event:
    """Admission makes other members than the template says; they are planned as they are made."""
    note = f"The members are planned as admission changes them: {words}."
    return Event(kind=NORMAL, reason=EventReason.CHANGED_BY_ADMISSION, action="Plan", note=note)


def bind_interrupted(failure: Failure) -> Event:
    """An attempt came to nothing, and nothing is left of it. What tenants meet most has a reason of its own."""
    reason = meaning_of(failure.reason).undone
    is_own = reason is not EventReason.BIND_INTERRUPTED
    note = as_sentence(failure.message) if is_own else f"{failure.reason}: {failure.message}."
    return Event(kind=WARNING, reason=reason, action="Bind", note=note)


def names_do_not_resolve(failure: Failure) -> Event:
    """The gang has no Service. Its members run all the same, since nobody has said that they need one."""
    note = f"{failure.reason}: {failure.message}. They run without."
    return Event(kind=WARNING, reason=EventReason.NAMES_DO_NOT_RESOLVE, action="Bind", note=note)


def status_refused(message: str) -> Event:
    """The API server does not take the gang's status: nothing can be reserved or reported there. Its own sentence."""
    note = f"The API server does not take the status of this gang: {message}"
    return Event(kind=WARNING, reason=EventReason.STATUS_REFUSED, action="Report", note=note)


def gang_undoing(failure: Failure, note: str) -> Event:
    """An attempt is being undone, and that takes a while: what it waits for. What a user asked for is no trouble."""
    kind = NORMAL if failure.is_users_own else WARNING
    return Event(kind=kind, reason=EventReason.GANG_UNDOING, action="Undo", note=as_sentence(note))


def gang_restarting(note: str) -> Event:
    """A member failed, and the gang is made anew, by its failure policy."""
    return Event(kind=WARNING, reason=EventReason.GANG_RESTARTING, action="Restart", note=note)


def gang_suspended(note: str) -> Event:
    """The gang is suspended, and holds nothing any more."""
    return Event(kind=NORMAL, reason=EventReason.GANG_SUSPENDED, action="Suspend", note=note)


def gang_resumed(note: str) -> Event:
    """The gang is not suspended any more."""
    return Event(kind=NORMAL, reason=EventReason.GANG_RESUMED, action="Resume", note=note)


def gang_preempted(why: str) -> Event:
    """The gang is evicted for a more urgent one, which the note names."""
    note = f"{as_sentence(why)} It is planned again when its members have ended."
    return Event(kind=WARNING, reason=EventReason.GANG_PREEMPTED, action="Preempt", note=note)


def preempted_for_gang(victim: GangKey) -> Event:
    """Another gang is evicted for this one."""
    note = f"Gang {spelled_gang(victim)} is evicted for this gang, which starts when those members have ended."
    return Event(kind=NORMAL, reason=EventReason.PREEMPTED_FOR_GANG, action="Preempt", note=note)


def gang_paced(note: str) -> Event:
    """Other members than before are paced, or differently."""
    return Event(kind=NORMAL, reason=EventReason.GANG_PACED, action="Pace", note=note)


def gang_overruns(note: str) -> Event:
    """The gang runs for longer than it was planned with."""
    return Event(kind=WARNING, reason=EventReason.GANG_OVERRUNS, action="Watch", note=note)


def owner_returned(why: str) -> Event:
    """The gang is interrupted, as the owner of a node is back, which the note names."""
    note = f"{as_sentence(why)} It is planned again at once; this is no failure of the gang."
    return Event(kind=WARNING, reason=EventReason.OWNER_RETURNED, action="Interrupt", note=note)


def gang_succeeded(note: str) -> Event:
    """Every member that has to has ended well."""
    return Event(kind=NORMAL, reason=EventReason.GANG_SUCCEEDED, action="Watch", note=note)


def gang_failed(note: str) -> Event:
    """A member failed, or the gang's time is over, so the gang has failed."""
    return Event(kind=WARNING, reason=EventReason.GANG_FAILED, action="Watch", note=note)


async def post_event(client: KubeClient, gang: GangFact, event: Event, *, instance: str, now: float) -> None:
    """Post an event about a gang. Its name follows from what it says, so that a second try makes no second event."""
    manifest = event_manifest(gang, event, instance=instance, now=now)
    await client.create(paths.events_of(gang.key.namespace), manifest, Urgency.REPORT)

"""What each reason implies: one table, which type checking keeps complete."""

from typing import NamedTuple, assert_never

from lockstep.facts.reasons import EventReason, Reason


class Meaning(NamedTuple):
    """What a reason implies.

    ``is_of_attempt``: an attempt may be undone for it. ``is_wanted``: that was a decision, not a failure of the
    attempt; it has an event of its own or needs none. ``is_users_own``: a user requested it. ``is_of_failure``: a
    gang may fail for it. ``saves_work``: the members are asked to end while they work, so that a program that saves its
    work then loses none. ``undone`` is the reason of the event about an attempt that failed for it. ``refused`` is
    the reason of the event about a spec that is not accepted. ``wants_no_nodes``: nodes requested for the gang are
    not needed. ``lacks_pods``: a Gang waits for pods that others create. ``was_taken``: the cluster ended the attempt
    for others, so its group is not charged. ``may_be_of_node``: so too, where a node of the attempt is lost.
    ``gives_way``: the gang was evicted for another one.
    """

    is_of_attempt: bool = False
    is_wanted: bool = False
    is_users_own: bool = False
    is_of_failure: bool = False
    saves_work: bool = False
    undone: EventReason = EventReason.BIND_INTERRUPTED
    refused: EventReason = EventReason.INVALID_SPEC
    wants_no_nodes: bool = False
    lacks_pods: bool = False
    was_taken: bool = False
    may_be_of_node: bool = False
    gives_way: bool = False


def meaning_of(reason: Reason) -> Meaning:  # noqa: C901, PLR0911, PLR0912 - one table, and nothing else
    """What that reason implies."""
    match reason:
        case Reason.CLAIM_NOT_READY:
            return Meaning(refused=EventReason.CLAIM_NOT_READY)
        case Reason.CLAIM_NOT_BOUND:
            return Meaning(refused=EventReason.CLAIM_NOT_BOUND)
        case Reason.REJECTED_BY_KUBELETS:
            return Meaning(refused=EventReason.REJECTED_BY_KUBELETS)
        case Reason.STARTS_LATER | Reason.PREEMPTING | Reason.AWAITS_OTHERS:
            return Meaning(wants_no_nodes=True)
        case Reason.AWAITS_PODS | Reason.PODS_MISSING:
            return Meaning(lacks_pods=True)
        case Reason.QUOTA_EXCEEDED:
            return Meaning(is_of_attempt=True, undone=EventReason.QUOTA_EXCEEDED, wants_no_nodes=True)
        case Reason.POD_REJECTED:
            return Meaning(is_of_attempt=True, undone=EventReason.POD_REJECTED)
        case Reason.POD_LOST:
            return Meaning(is_of_attempt=True, undone=EventReason.POD_LOST, may_be_of_node=True)
        case (
            Reason.TEMPLATE_REFUSED
            | Reason.CHANGED_BY_ADMISSION
            | Reason.POD_REFUSED
            | Reason.BIND_INTERRUPTED
            | Reason.NETWORK_REFUSED
            | Reason.START_BARRIER_TIMEOUT
            | Reason.CLAIM_REFUSED
            | Reason.CLAIM_LOST
            | Reason.VOLUME_NOT_PROVIDED
            | Reason.API_UNAVAILABLE
            | Reason.NO_LONGER_FITS
        ):
            return Meaning(is_of_attempt=True)
        case Reason.GANG_DELETED:
            return Meaning(is_of_attempt=True, is_wanted=True, is_users_own=True)
        case Reason.GANG_SUSPENDED:
            return Meaning(is_of_attempt=True, is_wanted=True, is_users_own=True, saves_work=True)
        case Reason.AWAITS_QUOTA:
            return Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, wants_no_nodes=True)
        case Reason.PREEMPTED:
            return Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, was_taken=True, gives_way=True)
        case Reason.RECLAIMED:
            # Its group pays: otherwise its next turn would come first, and take the same nodes again.
            return Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, gives_way=True)
        case Reason.OWNER_RETURNED:
            return Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, was_taken=True)
        case Reason.CHANGING_SIZE:
            return Meaning(is_of_attempt=True, is_wanted=True, saves_work=True)
        case Reason.RESTARTING:
            return Meaning(is_of_attempt=True, is_wanted=True)
        case (
            Reason.MEMBER_FAILED
            | Reason.REACHED_MAX_RESTARTS
            | Reason.DEADLINE_EXCEEDED
            | Reason.DEPENDENCY_NEVER_SATISFIED
            | Reason.PIECES_FAILED
        ):
            return Meaning(is_of_failure=True)
        case (
            Reason.SPEC_UNDERSTOOD
            | Reason.UNSUPPORTED_FIELD
            | Reason.INVALID_SPEC
            | Reason.NODE_NOT_FOUND
            | Reason.UNKNOWN_PRIORITY_CLASS
            | Reason.WAITS_FOR_ITSELF
            | Reason.NOT_PLANNED
            | Reason.RESERVED
            | Reason.RESERVATION_RELEASED
            | Reason.NOT_RESERVED
            | Reason.BINDING
            | Reason.BOUND
            | Reason.SHRUNK_FOR_GANG
            | Reason.UNDOING
            | Reason.GANG_RESUMED
            | Reason.NODES_REQUESTED
            | Reason.REQUEST_ACCEPTED
            | Reason.NODES_PROVISIONED
            | Reason.PROVISIONING_FAILED
            | Reason.REQUEST_REFUSED
            | Reason.NOT_FINISHED
            | Reason.RUNS_LONGER
            | Reason.SUCCEEDED
        ):
            return Meaning()
        case _:
            assert_never(reason)


UNDONE_REASONS = tuple(reason for reason in Reason if meaning_of(reason).is_of_attempt)
"""The reasons why an attempt is undone."""

LACKING_PODS = tuple(reason for reason in Reason if meaning_of(reason).lacks_pods)
"""The reasons why a Gang is not planned before its pods are there."""

TAKEN = frozenset(reason for reason in Reason if meaning_of(reason).was_taken)
"""The reasons for which the cluster ends an attempt for others."""

MAYBE_OF_NODE = frozenset(reason for reason in Reason if meaning_of(reason).may_be_of_node)
"""The reasons behind which a lost node may be."""

FAILURES = tuple(reason for reason in Reason if meaning_of(reason).is_of_failure)
"""The reasons why a gang has failed."""

"""The meaning of each reason, in one table. Without a row for each reason, the module can't be imported."""

from collections.abc import Mapping
from typing import NamedTuple

from lockstep.facts.reasons import EventReason, Reason


class Meaning(NamedTuple):
    """The meaning of a reason.

    ``is_of_attempt``: an attempt may be torn down for it. ``is_wanted``: the end was a decision, not a failure of the
    attempt; it has an event of its own, or needs none. ``is_users_own``: a user requested it. ``is_of_failure``: a gang
    may fail for it. ``saves_work``: the members are asked to end while they work, so a program that saves its work then
    loses none. ``undone`` is the reason of the event about an attempt that failed for it. ``refused`` is the reason of
    the event about a spec that is not accepted. ``wants_no_nodes``: the gang does not need nodes that were requested
    for it. ``lacks_pods``: a Gang waits for pods that other controllers or users create. ``was_taken``: the cluster
    ended the attempt for other gangs or a node owner, so the fair share of the gang's group is not charged.
    ``may_be_of_node``: the group is not charged if a node of the attempt is lost. ``gives_way``: the gang was evicted
    for another gang.
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


_NOTHING_MORE = Meaning()
_UNDOES = Meaning(is_of_attempt=True)
_FAILS = Meaning(is_of_failure=True)

MEANINGS: Mapping[Reason, Meaning] = {
    Reason.CLAIM_NOT_READY: Meaning(refused=EventReason.CLAIM_NOT_READY),
    Reason.CLAIM_NOT_BOUND: Meaning(refused=EventReason.CLAIM_NOT_BOUND),
    Reason.REJECTED_BY_KUBELETS: Meaning(refused=EventReason.REJECTED_BY_KUBELETS),
    Reason.STARTS_LATER: Meaning(wants_no_nodes=True),
    Reason.PREEMPTING: Meaning(wants_no_nodes=True),
    Reason.AWAITS_OTHERS: Meaning(wants_no_nodes=True),
    Reason.AWAITS_PODS: Meaning(lacks_pods=True),
    Reason.PODS_MISSING: Meaning(lacks_pods=True),
    Reason.QUOTA_EXCEEDED: Meaning(is_of_attempt=True, undone=EventReason.QUOTA_EXCEEDED, wants_no_nodes=True),
    Reason.POD_REJECTED: Meaning(is_of_attempt=True, undone=EventReason.POD_REJECTED),
    Reason.POD_LOST: Meaning(is_of_attempt=True, undone=EventReason.POD_LOST, may_be_of_node=True),
    Reason.TEMPLATE_REFUSED: _UNDOES,
    Reason.CHANGED_BY_ADMISSION: _UNDOES,
    Reason.POD_REFUSED: _UNDOES,
    Reason.BIND_INTERRUPTED: _UNDOES,
    Reason.NETWORK_REFUSED: _UNDOES,
    Reason.START_BARRIER_TIMEOUT: _UNDOES,
    Reason.CLAIM_REFUSED: _UNDOES,
    Reason.CLAIM_LOST: _UNDOES,
    Reason.VOLUME_NOT_PROVIDED: _UNDOES,
    Reason.API_UNAVAILABLE: _UNDOES,
    Reason.NO_LONGER_FITS: _UNDOES,
    Reason.GANG_DELETED: Meaning(is_of_attempt=True, is_wanted=True, is_users_own=True),
    Reason.GANG_SUSPENDED: Meaning(is_of_attempt=True, is_wanted=True, is_users_own=True, saves_work=True),
    Reason.AWAITS_QUOTA: Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, wants_no_nodes=True),
    Reason.PREEMPTED: Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, was_taken=True, gives_way=True),
    # The use is charged to the gang's group. Otherwise this group would come first in the next plan, and take the same
    # nodes again.
    Reason.RECLAIMED: Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, gives_way=True),
    Reason.OWNER_RETURNED: Meaning(is_of_attempt=True, is_wanted=True, saves_work=True, was_taken=True),
    Reason.CHANGING_SIZE: Meaning(is_of_attempt=True, is_wanted=True, saves_work=True),
    Reason.RESTARTING: Meaning(is_of_attempt=True, is_wanted=True),
    Reason.MEMBER_FAILED: _FAILS,
    Reason.REACHED_MAX_RESTARTS: _FAILS,
    Reason.DEADLINE_EXCEEDED: _FAILS,
    Reason.DEPENDENCY_NEVER_SATISFIED: _FAILS,
    Reason.PIECES_FAILED: _FAILS,
    Reason.SPEC_UNDERSTOOD: _NOTHING_MORE,
    Reason.UNSUPPORTED_FIELD: _NOTHING_MORE,
    Reason.INVALID_SPEC: _NOTHING_MORE,
    Reason.NODE_NOT_FOUND: _NOTHING_MORE,
    Reason.UNKNOWN_PRIORITY_CLASS: _NOTHING_MORE,
    Reason.WAITS_FOR_ITSELF: _NOTHING_MORE,
    Reason.NOT_PLANNED: _NOTHING_MORE,
    Reason.RESERVED: _NOTHING_MORE,
    Reason.RESERVATION_RELEASED: _NOTHING_MORE,
    Reason.NOT_RESERVED: _NOTHING_MORE,
    Reason.BINDING: _NOTHING_MORE,
    Reason.BOUND: _NOTHING_MORE,
    Reason.SHRUNK_FOR_GANG: _NOTHING_MORE,
    Reason.UNDOING: _NOTHING_MORE,
    Reason.GANG_RESUMED: _NOTHING_MORE,
    Reason.NODES_REQUESTED: _NOTHING_MORE,
    Reason.REQUEST_ACCEPTED: _NOTHING_MORE,
    Reason.NODES_PROVISIONED: _NOTHING_MORE,
    Reason.PROVISIONING_FAILED: _NOTHING_MORE,
    Reason.REQUEST_REFUSED: _NOTHING_MORE,
    Reason.NOT_FINISHED: _NOTHING_MORE,
    Reason.RUNS_LONGER: _NOTHING_MORE,
    Reason.SUCCEEDED: _NOTHING_MORE,
}
"""The meaning of each reason."""

UNDONE_REASONS = tuple(reason for reason in Reason if MEANINGS[reason].is_of_attempt)
"""The reasons for which an attempt is torn down."""

LACKING_PODS = tuple(reason for reason in Reason if MEANINGS[reason].lacks_pods)
"""The reasons for which a Gang is not planned before its pods exist."""

TAKEN = frozenset(reason for reason in Reason if MEANINGS[reason].was_taken)
"""The reasons for which the cluster ends an attempt for other gangs or a node owner."""

MAYBE_OF_NODE = frozenset(reason for reason in Reason if MEANINGS[reason].may_be_of_node)
"""The reasons that a lost node may cause."""

FAILURES = tuple(reason for reason in Reason if MEANINGS[reason].is_of_failure)
"""The reasons for which a gang has failed."""

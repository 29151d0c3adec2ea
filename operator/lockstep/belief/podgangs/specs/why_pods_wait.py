"""Why the pods of a Gang wait before the planner sees them."""

from lockstep.api.times import rfc3339
from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS
from lockstep.belief.podgangs.own_pods import OwnPods
from lockstep.belief.podgangs.specs.later_pods import pods_to_come
from lockstep.belief.podgangs.specs.role_sizes import RolesOfPods
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec


def why_pods_wait(
    gang: PodGang, asks: PodGangSpec, pods: OwnPods, least: int, roles: RolesOfPods, *, is_checked: bool
) -> str:
    """Why the pods of the Gang are not planned now, as sentences; '' if they may be planned."""
    if gang.status.next_size is not None:
        return "Its size changes. No other pod of the Gang is placed before the change is done."
    if pods.going >= asks.maximum and pods.waiting:
        return (
            f"{pods.going} of at most {asks.maximum} pods of the Gang are on nodes; {pods.waiting} wait until others "
            "have ended."
        )
    if not pods.waiting:
        return _why_none_waits(gang, asks, pods, least)
    compared = pods.going or is_checked
    return roles.keeping(least) or (
        "" if compared else "Its pods wait until Lockstep has compared the Gang with their owner."
    )


def _why_none_waits(gang: PodGang, asks: PodGangSpec, pods: OwnPods, least: int) -> str:
    if pods.going:
        later = pods_to_come(asks, pods)
        if later:
            return f"Its pods are bound. It expects {later} more{_room_until(gang)}."
        return "Its pods are bound, and no other pod of the Gang waits for a node."
    if pods.succeeded and not pods.open:
        return "Its pods have ended, and no other pod of the Gang waits for a node."
    return f"No pod of the Gang waits for a node. It needs {least} together."


def _room_until(gang: PodGang) -> str:
    """A clause that says until when room is kept; '' if pods were on nodes before the Gang was created."""
    begun = gang.status.active_since
    if begun is None:
        return ""
    return f", and Lockstep keeps nodes free for them until {rfc3339(begun + ROOM_KEPT_SECONDS)} at the latest"

"""What docs/architecture.md guarantees, checked after every event in the order in which the events happened."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chaos.job_invariants import JobInvariants, owner_of_kind, seat_of
from chaos.set_invariants import SetInvariants
from chaos.size_invariants import SizeInvariants
from live.watching import ENDED, Seen, as_seen

Manifest = Mapping[str, Any]


# What an event is called that only a list has shown: what came before it is not known.
LISTED = "LISTED"
# Up to the version of this list, what came in which order is not known.
GAP = "GAP"


class Member(NamedTuple):
    """One rank of one attempt of one gang."""

    gang_uid: str
    attempt: int
    name: str


class Invariants:
    """Follows pods, gangs, Jobs, nodes and bids. ``violations`` holds a sentence for each broken promise.

    ``ended`` counts how gangs ended, ``gave_way`` how they gave way to more urgent ones.
    ``jobs`` has what holds of Jobs, ``sets`` what holds of evictions, and ``sizes`` what holds of changes of size.
    """

    def __init__(self) -> None:
        self.violations: list[str] = []
        self.ended: Counter[str] = Counter()
        self.gave_way: Counter[str] = Counter()
        self.jobs = JobInvariants()
        self.sets = SetInvariants()
        self.sizes = SizeInvariants()
        self._gangs: dict[str, Manifest] = {}
        self._pods: dict[str, Seen] = {}
        self._owner: dict[str, str] = {}
        self._most_cpu: Counter[str] = Counter()
        # Nodes that are gone or away, and pods that were ever on one: such a node may count as lost, and so do they.
        self._away: set[str] = set()
        self._stranded: set[str] = set()
        self._unknown_to = 0
        self._succeeded: dict[Member, str] = {}
        self._by_attempt: dict[tuple[str, int], set[str]] = defaultdict(set)

    def note(self, kind: str, what: str, manifest: Manifest) -> None:
        """Take one event in."""
        if what == GAP:
            self._unknown_to = max(self._unknown_to, int(manifest["metadata"]["resourceVersion"]))
        elif kind == "nodes":
            self._note_node(what, manifest)
            self.jobs.note_node(what, manifest)
        elif kind == "nodebids":
            self.sizes.note_bid(what, manifest, {uid: pod.node for uid, pod in self._pods.items()})
        elif kind == "pods":
            is_order_known = int(manifest["metadata"]["resourceVersion"]) > self._unknown_to
            self.violations += self.jobs.note_pod(what, manifest, is_order_known=is_order_known)
            self.violations += self.sets.note_pod(manifest)
            self._note_pod(what, manifest)
        elif kind == "jobs":
            self.violations += self.jobs.note_job(what, manifest)
        elif kind == "gangs":
            self.jobs.note_gang(what, manifest)
            self.sets.note_gang(manifest)
        else:
            self._note_gang(what, manifest)

    def _note_node(self, what: str, manifest: Manifest) -> None:
        # The operator may not have heard yet that a node is smaller by now.
        name, cpu = manifest["metadata"]["name"], manifest["status"]["allocatable"]["cpu"]
        self._most_cpu[name] = max(self._most_cpu[name], milli(cpu))
        self._away.discard(name)
        if what == "DELETED" or not is_true(manifest["status"], "Ready"):
            self._away.add(name)
            self._stranded |= {uid for uid, pod in self._pods.items() if pod.node == name}

    def _note_pod(self, what: str, manifest: Manifest) -> None:
        pod = seen(manifest)
        before = self._pods.pop(pod.uid, None)
        if what == "DELETED":
            return
        self._pods[pod.uid] = pod
        self.sizes.note_pod(pod.uid, pod.node)
        if pod.node in self._away:
            self._stranded.add(pod.uid)
        owner = owner_of(manifest) or seat_of(manifest)
        if not owner:
            return
        self._owner[pod.uid] = owner
        if pod.phase == "Succeeded":
            self._succeeded.setdefault(Member(owner, pod.attempt, pod.name), pod.uid)
        if before is None and pod.version > self._unknown_to:
            self.violations += self._problems_of_new(pod, owner)
        if pod.node and (before is None or not before.node):
            self._by_attempt[owner, pod.attempt].add(pod.name)
            self.violations += self._problems_of_bound(pod, owner)

    def _problems_of_new(self, pod: Seen, owner: str) -> Iterator[str]:
        gang = self._gangs.get(owner)
        if gang is None:
            return
        status = gang.get("status") or {}
        if status.get("attempt", 0) < pod.attempt or (
            status.get("attempt") == pod.attempt and not status.get("reservedAt")
        ):
            yield f"{pod.name} was created without a reservation"

    def _problems_of_bound(self, pod: Seen, owner: str) -> Iterator[str]:
        twin = next((one for one in self._pods.values() if one.name == pod.name and one.uid != pod.uid), None)
        if twin is not None:
            yield f"{pod.name} is there twice, as {twin.uid} and as {pod.uid}"
        if self._succeeded.get(Member(owner, pod.attempt, pod.name), pod.uid) != pod.uid:
            yield f"{pod.name} is bound again after it has succeeded"
        others = {
            one.attempt
            for uid, one in self._pods.items()
            if self._owner.get(uid) == owner and one.node and not one.is_deleting and one.phase not in ENDED
        }
        if len(others) > 1:
            yield f"{pod.gang} has members bound of attempts {sorted(others)}"
        there = [
            one
            for uid, one in self._pods.items()
            if uid in self._owner and one.node == pod.node and one.phase not in ENDED
        ]
        taken = sum(one.cpu for one in there)
        if taken > self._most_cpu[pod.node] > 0:
            names = ", ".join(one.name for one in there)
            yield f"{pod.node} has at most {self._most_cpu[pod.node]}m cpu, members there request {taken}m: {names}"

    def _note_gang(self, what: str, manifest: Manifest) -> None:
        uid = manifest["metadata"]["uid"]
        before = self._gangs.pop(uid, None)
        if what == "DELETED":
            return
        self._gangs[uid] = manifest
        if what == LISTED:
            return
        old, new = ((one or {}).get("status") or {} for one in (before, manifest))
        name = manifest["metadata"]["name"]
        if (is_true(old, "Placed"), old.get("attempt"), old.get("size")) != (True, new.get("attempt"), new.get("size")):
            self._note_size(manifest)
        self.violations += self.sizes.note_gang(before or {}, manifest, [*self._left(manifest, old, new)])
        if preempted(old) != preempted(new):
            self.gave_way += Counter(preempted(new)[:1])
        if has_ended(new):
            if not has_ended(old):
                self.ended[reason(new, "Complete")] += 1
        elif old.get("reservedAt") and not new.get("reservedAt"):
            self._note_release(uid, name, old.get("attempt", 0))

    def _note_size(self, manifest: Manifest) -> None:
        """All members that count were bound: when the gang is placed, and each time that some have come or gone."""
        name, status = manifest["metadata"]["name"], manifest.get("status") or {}
        members = {f"{name}-{status.get('attempt')}-{rank}" for rank in ranks_of(status)}
        missing = members - self._by_attempt[manifest["metadata"]["uid"], status.get("attempt", 0)]
        if is_true(status, "Placed") and missing:
            self.violations.append(f"{name} is called placed with {len(members)} members, never bound: {missing}")
        if is_true(status, "Placed") and len(members) < least_size(manifest["spec"]):
            self.violations.append(f"{name} is called placed with {len(members)} members, which are too few")
        if is_true(status, "Placed") and len(members) > most_size(manifest["spec"]):
            self.violations.append(f"{name} is called placed with {len(members)} members, which are too many")

    def _left(self, manifest: Manifest, old: Manifest, new: Manifest) -> Iterator[bool]:
        """Of each member that has left a running attempt, whether it could have stayed."""
        if old.get("attempt") != new.get("attempt") or not (is_true(old, "Placed") and is_true(new, "Placed")):
            return
        uid, name = manifest["metadata"]["uid"], f"{manifest['metadata']['name']}-{new['attempt']}"
        own = {pod.name: pod for key, pod in self._pods.items() if self._owner.get(key) == uid}
        for rank in {*ranks_of(old)} - {*ranks_of(new)}:
            pod = own.get(f"{name}-{rank}")
            is_there = pod is not None and pod.phase not in ENDED and not pod.is_deleting
            yield is_there and pod.uid not in self._stranded and self.sizes.may_stay(pod.uid)

    def _note_release(self, uid: str, name: str, attempt: int) -> None:
        self.ended["undone"] += 1
        own = {key: pod for key, pod in self._pods.items() if self._owner.get(key) == uid and pod.attempt == attempt}
        left = [pod.name for key, pod in own.items() if key not in self._stranded]
        if left:
            self.violations.append(f"{name} was released while {', '.join(left)} were there")


def owner_of(manifest: Manifest) -> str | None:
    """The UID of the GangJob that owns a pod, if one does."""
    return owner_of_kind(manifest, "GangJob") or None


def ranks_of(status: Manifest) -> Iterator[int]:
    """The ranks of the members in a status."""
    if not status.get("ranks"):
        yield from range(sum(entry["count"] for entry in status.get("members") or ()))
        return
    for part in status["ranks"].split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def least_size(spec: Manifest) -> int:
    """The fewest members with which a gang may run."""
    return sum(int(role["size"]["min"]) for role in spec.get("roles") or (spec,))


def most_size(spec: Manifest) -> int:
    """The most members with which a gang may run."""
    return sum(int(role["size"]["max"]) for role in spec.get("roles") or (spec,))


def preempted(status: Manifest) -> tuple[str, ...]:
    """How the gang gives way to a more urgent one, as its status says, and to which; empty if it does not."""
    for one in status.get("conditions") or ():
        if one["type"] == "Preempted" and (one["status"] == "True" or one["reason"] == "ShrunkForGang"):
            return ("shrunk" if one["reason"] == "ShrunkForGang" else "evicted", one["message"])
    return ()


def seen(manifest: Manifest) -> Seen:
    """What is noted of a pod; a poisonous one's requests are not."""
    try:
        return as_seen(manifest)
    except ValueError:
        return as_seen({**manifest, "spec": {**manifest["spec"], "containers": []}})


def milli(cpu: str) -> int:
    """A CPU quantity as the walk writes it."""
    return int(cpu[:-1]) if cpu.endswith("m") else 1000 * int(cpu)


def has_ended(status: Manifest) -> bool:
    """Whether a gang has ended, well or not."""
    return is_true(status, "Complete") or is_true(status, "Failed")


def is_true(status: Manifest, kind: str) -> bool:
    """Whether a condition is True."""
    return any(one["type"] == kind and one["status"] == "True" for one in status.get("conditions") or ())


def reason(status: Manifest, kind: str) -> str:
    """The reason of a condition."""
    return next((str(one["reason"]) for one in status.get("conditions") or () if one["type"] == kind), "")

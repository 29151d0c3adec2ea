"""The check of `minInterval` finds changes of size that come too soon, and only those."""

import pytest

from builders.manifests import bid, gang
from builders.served import metadata, node
from chaos.invariants import Invariants

ASKED = {"size": 4}


class Seen:
    """Invariants that see a gang of two to four members on two nodes, event by event, and what they find."""

    def __init__(self, mode="Restart"):
        self.invariants = Invariants()
        self._version = 0
        self._elastic = {"mode": mode, "restartTime": "1s", "minInterval": "8s"}
        self.note("nodes", node("n1"))
        self.note("nodes", node("n2"))

    def note(self, kind, manifest, what="MODIFIED"):
        self._version += 1
        manifest = {**manifest, "metadata": {**manifest["metadata"], "resourceVersion": str(self._version)}}
        self.invariants.note(kind, what, manifest)

    def runs(self, size, at, *, attempt=1, resized=None):
        """The gang runs with so many members, the last of which is on the second node."""
        for rank in range(size):
            self.has_member(attempt, rank, "n2" if rank == size - 1 else "n1")
        members = [{"node": "n1", "count": size - 1}, {"node": "n2", "count": 1}]
        placed = [{"type": "Placed", "status": "True", "reason": "Bound"}]
        status = {"attempt": attempt, "size": size, "start": time(at), "members": members, "conditions": placed}
        when = {"reservedAt": time(at), "resizedAt": None if resized is None else time(resized)}
        self._write({**status, **when})

    def waits(self, size, until):
        """The gang waits for room."""
        self._write({"attempt": 1, "size": size, "start": time(until)})

    def has_member(self, attempt, rank, where, **status):
        name, labels = f"adds-{attempt}-{rank}", {"lockstep.dev/gang": "adds", "lockstep.dev/attempt": str(attempt)}
        owner = {"kind": "GangJob", "uid": "uid-of-adds"}
        pod = {"metadata": metadata(name, labels=labels, ownerReferences=[owner])}
        spec = {"nodeName": where, "containers": []}
        self.note("pods", {**pod, "spec": spec, "status": {"phase": "Running", **status}})

    def decides(self, size, at, *, asked=None):
        """The operator decides that the gang is to have another size."""
        self._elastic = {**self._elastic, **(asked or {})}
        self._write({**self._status, "next": {"size": size, "decidedAt": time(at), "why": "grows"}})

    def _write(self, status):
        self._status = status
        described = gang("adds", size=(2, 4), elastic=self._elastic)
        self.note("gangjobs", {**described, "metadata": metadata("adds"), "status": status})

    @property
    def violations(self):
        """What is found of sizes. Pods without reservations and quotas are no matter here."""
        return [one for one in self.invariants.violations if one.startswith("plans change")]


def time(second):
    return f"2027-01-15T08:00:{second:02}Z"


@pytest.mark.parametrize(
    ("decided", "want"), [(18, []), (17, ["plans change the size of adds to 4 after 7 s, and its minInterval is 8 s"])]
)
def test_next_size_is_decided_no_sooner_than_the_interval_after_the_last_change(decided, want):
    seen = Seen()
    seen.runs(2, at=0)
    seen.decides(3, at=5)
    seen.runs(3, at=10, attempt=2, resized=10)

    seen.decides(4, at=decided)

    assert seen.violations == want
    assert seen.invariants.sizes.seen["chosen"] == 2


def test_change_is_seen_though_the_status_forgets_when_it_was():
    seen = Seen()
    seen.runs(2, at=0)
    seen.decides(3, at=5)
    seen.runs(3, at=10, attempt=2)

    seen.decides(4, at=11)

    assert len(seen.violations) == 1


def test_size_that_users_ask_for_comes_at_any_time():
    seen = Seen()
    seen.runs(2, at=0)
    seen.decides(3, at=5)
    seen.runs(3, at=10, attempt=2, resized=10)

    seen.decides(4, at=11, asked=ASKED)

    assert not seen.violations


def test_attempt_that_is_planned_anew_is_no_change():
    seen = Seen()
    seen.runs(2, at=0)
    seen.runs(3, at=10, attempt=2)

    seen.decides(4, at=11)

    assert not seen.violations


def test_size_that_is_planned_is_no_change():
    seen = Seen()
    seen.waits(2, until=40)
    seen.waits(3, until=50)
    seen.runs(3, at=10)

    seen.decides(4, at=15)

    assert not seen.violations


def lost(seen):
    seen.has_member(1, 2, "n2", phase="Failed")


def on_a_lost_node(seen):
    seen.note("nodes", node("n2", ready="False"))


def with_its_owner(seen):
    seen.note("nodebids", bid("n2", ownerPresent=True))


@pytest.mark.parametrize(
    ("before", "want"),
    [
        pytest.param(lambda seen: None, 1, id="the member could have stayed"),
        pytest.param(lost, 0, id="the member is lost"),
        pytest.param(on_a_lost_node, 0, id="its node is lost"),
        pytest.param(with_its_owner, 0, id="its node has an owner"),
    ],
)
def test_members_leave_no_sooner_than_the_interval_after_the_last_change_unless_they_have_to(before, want):
    seen = Seen("Members")
    seen.runs(2, at=0)
    seen.decides(3, at=5)
    seen.runs(3, at=10, resized=10)

    before(seen)
    seen.runs(2, at=12, resized=12)

    assert len(seen.violations) == want

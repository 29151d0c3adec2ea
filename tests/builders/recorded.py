"""Statuses of a gang over its life, and a process that leads and records it."""

from dataclasses import replace

from builders.facts import gang_fact, gang_spec, node_fact
from coschedule import Members
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import NamespaceFact
from lockstep.facts.cluster.node import KIND_LABEL
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.recorder.database import RecordDatabase, Retention

REQUEST = (("cpu", 2000), ("memory", 2**30), ("nvidia.com/gpu", 1))
SPEC = gang_spec(request=REQUEST, run_template="f" * 32)
MEMBERS = (Members("n1", 1), Members("n2", 1))


def condition(kind, status, reason, message="", at=0.0):
    """A condition of a gang."""
    return ConditionFact(kind, status, reason, message, 1, at)


def reserved(attempt=1, at=100.0, **more):
    """The status of a gang whose members may exist."""
    return GangStatus(
        attempt=attempt, reserved_at=at, start=at, members=MEMBERS, size=2, expected_finish=at + 50, **more
    )


def running(attempt=1, at=100.0, **more):
    """The status of a gang that runs."""
    return replace(reserved(attempt, at), started_at=at + 10, **more)


def released(reason=Reason.POD_LOST, at=160.0, attempt=1, **more):
    """The status of a gang that has lost its nodes, with the reason."""
    placed = condition(Condition.PLACED, "False", reason, "Attempt 1 was undone.", at)
    return GangStatus(attempt=attempt, conditions=(placed, *more.pop("conditions", ())), **more)


def succeeded(at=200.0, attempt=1, began=100.0):
    """The status of a gang that has succeeded."""
    end = condition(Condition.COMPLETE, "True", Reason.SUCCEEDED, "All 2 members have succeeded.", at)
    return replace(running(attempt, began), reserved_at=None, finished_at=at, conditions=(end,))


class Leader:
    """A process that leads, and the versions of a gang that it sees."""

    def __init__(self, *there, has_users=True):
        self.state = State(lambda: None)
        self.state.nodes.apply(node_fact("n1", labels={KIND_LABEL: "fast"}))
        self.state.nodes.apply(node_fact("n2"))
        self.state.namespaces.apply(NamespaceFact("default", {"lockstep.dev/group": "physics"}))
        for gang in there:
            self.state.apply_gang(gang)
        self.state.records.begin(self.state.gangs, has_users=has_users)
        self.version = max((int(gang.resource_version) for gang in there), default=1)

    def see(self, *statuses, **more):
        """The gang has these statuses, one after the other; ``more`` are fields of the gang."""
        for status in statuses:
            self.version += 1
            gang = gang_fact(version=str(self.version), created=90.0, spec=SPEC, status=status)
            self.state.apply_gang(replace(gang, user="ada", **more))
        return self

    def taken(self):
        """The records that wait."""
        for _ in self.state.records.catching_up(self.state.gangs):
            pass
        return list(iter(self.state.records.take, None))


def kept(path, *records):
    """The file with these records."""
    database = RecordDatabase.open(path, Retention(records=1e9, users=1e9, most_bytes=2**30), 200)
    database.take_in(records, 200)
    database.close()
    return path

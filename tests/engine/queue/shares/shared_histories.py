"""Gangs of groups that take turns, and queues of them that live."""

from dataclasses import replace

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.fair_shares import FairShares, ShareGroup
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.promise_kinds import Promises
from engine.queue.promises.histories import History

NAMES = "abc"


def of(namespace, one):
    """Put a gang into a namespace."""
    return replace(one, key=GangKey(namespace, one.key.name))


def shares(*groups, capacity=(4,)):
    """Each group is (name, weight, use so far), and has the namespace of its name."""
    made = [ShareGroup(name=name, weight=weight, used=used, namespaces=(name,)) for name, weight, used in groups]
    return FairShares(groups=(*made, ShareGroup(name="others")), capacity=capacity)


class SharedHistory(History):
    """A history in which groups take turns; what starts is charged for its whole run at once."""

    def __init__(self, nodes, groups, promises=Promises.SLACK):
        super().__init__(nodes, promises)
        self.shares = groups

    def submit(self, one):
        """Let a gang come now; one of no namespace comes to that of a group."""
        namespace = one.key.namespace if one.key.namespace != "default" else NAMES[len(self.promised) % 3]
        super().submit(of(namespace, one))

    def facts(self):
        """Freeze what is there, with the groups."""
        made = replace(super().facts(), shares=self.shares)
        return made if self.before is None else remembering(made, *self.before)

    def decide(self):
        """Plan, start what is due, and charge the groups for it; returns the facts and the plan."""
        facts, made = super().decide()
        by_key, groups = {one.key: one for one in facts.gangs}, list(self.shares.groups)
        for one in made.decisions:
            if isinstance(one, Placement) and one.start <= self.now:
                index = self.shares.group_of(one.gang)
                cost = self.shares.charge(by_key[one.gang], one)
                groups[index] = replace(groups[index], used=groups[index].used + cost)
        self.shares = replace(self.shares, groups=tuple(groups))
        return facts, made

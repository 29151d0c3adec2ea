"""What nodes can still attach, beside a count from the beginning after each of many changes."""

import random
from collections import Counter

import pytest

from builders.facts import claim_fact, gang_fact, gang_spec, node_fact, pod_fact, reservation, volume_request
from coschedule import GangKey
from lockstep.api.members.claims import claim_of
from lockstep.belief.pods.pod_effects import takes_room
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import (
    AttachLimits,
    Attachment,
    ClaimKey,
    ClaimUse,
    CsiVolume,
    Sharing,
    StorageClass,
    VolumeFact,
)

NODES = ("n1", "n2", "n3")
DRIVERS = ("a.example.com", "b.example.com")
GANGS = ("g", "g-1", "h")
CHANGES = 250


class World:
    """A state, and what it was given, so that everything can be counted anew."""

    def __init__(self, seed):
        self.rnd, self.state = random.Random(seed), State(lambda: None)  # noqa: S311 - a case has to come again
        self.limits, self.attachments = {}, {}
        for name in NODES:
            self.state.nodes.apply(node_fact(name))

    def change(self):
        """Change one thing."""
        self.rnd.choice(
            [
                self._claim,
                self._claim,
                self._volume,
                self._pod,
                self._pod,
                self._limits,
                self._attach,
                self._gang,
                self._class,
            ]
        )()

    def _names(self):
        kept = [f"data-{gang}-{rank}" for gang in GANGS for rank in range(4)]
        ephemeral = [f"{gang}-1-{rank}-scratch" for gang in GANGS for rank in range(4)]
        return ["data", "data-g", *kept, *ephemeral]

    def _claim(self):
        name, volume = self.rnd.choice(self._names()), self.rnd.choice(["", *(f"pv-{n}" for n in range(5))])
        if self.rnd.random() < 0.3:
            self.state.claims.remove_claim(ClaimKey("default", name))
        else:
            self.state.claims.apply_claim(claim_fact(name, volume=volume, storage_class=self.rnd.choice(("x", "y"))))

    def _volume(self):
        name = f"pv-{self.rnd.randrange(5)}"
        csi = self.rnd.choice([None, *(CsiVolume(driver, name) for driver in DRIVERS)])
        if self.rnd.random() < 0.3:
            self.state.claims.remove_volume(name)
        else:
            self.state.claims.apply_volume(VolumeFact(name, (), csi))

    def _pod(self):
        name = f"p{self.rnd.randrange(4)}"
        claims = tuple(self.rnd.sample(self._names(), self.rnd.randint(0, 2)))
        pod = pod_fact(name, node=self.rnd.choice(("", *NODES)), claims=claims)
        (self.state.apply_pod if self.rnd.random() < 0.7 else lambda it: self.state.remove_pod(it.key, it.uid))(pod)

    def _limits(self):
        node, limits = (
            self.rnd.choice(NODES),
            {driver: self.rnd.randint(0, 3) for driver in DRIVERS if self.rnd.random() < 0.7},
        )
        self.limits[node] = limits
        self.state.attachments.apply_limits(AttachLimits(node, limits))

    def _attach(self):
        name = f"a{self.rnd.randrange(4)}"
        if self.rnd.random() < 0.4:
            self.attachments.pop(name, None)
            self.state.attachments.remove_attachment(name)
        else:
            volume = self.rnd.choice(["", *(f"pv-{n}" for n in range(5))])
            fact = Attachment(name, self.rnd.choice(NODES), self.rnd.choice(DRIVERS), volume)
            self.attachments[name] = fact
            self.state.attachments.apply_attachment(fact)

    def _gang(self):
        name = self.rnd.choice(GANGS)
        self.state.assumptions.forget(GangKey("default", name))
        uses = (
            ClaimUse("", "data", Sharing.SHARED),
            ClaimUse("", "data", Sharing.KEPT, volume_request(storage_class="x")),
            ClaimUse("", "scratch", Sharing.EPHEMERAL, volume_request(storage_class="y")),
        )
        claims = tuple(self.rnd.sample(uses, self.rnd.randint(0, 3)))
        self.state.apply_gang(gang_fact(name, version=str(self.rnd.random()), spec=gang_spec(size=4, claims=claims)))
        if self.rnd.random() < 0.7:
            self.state.assumptions.hold(
                reservation(name, members=tuple((self.rnd.choice(NODES), self.rnd.randint(1, 2)) for _ in "ab"))
            )

    def _class(self):
        name = self.rnd.choice(("x", "y"))
        self.state.claims.storage.classes.apply(StorageClass(name, self.rnd.choice(DRIVERS), waits=True))

    def in_use(self, node, but=None):
        """The volumes of pods on a node, and of members that are to come, counted one by one."""
        pods = [pod for pod in self.state.pods.values() if takes_room(pod) and pod.node == node]
        claims = [ClaimKey(pod.key.namespace, claim) for pod in pods for claim in pod.claims]
        to_be = []
        for key, one in self.state.reservations.items():
            uses = self.state.gangs[key].spec.roles[0].claims
            for rank, _, there, pod in one.by_rank():
                used = [
                    (claim_of(use, pod, key.name, rank), use.request) for use in uses if there == node and key != but
                ]
                claims += [claim for claim, _ in used]
                to_be += [(claim, wish) for claim, wish in used if wish and claim not in self.state.claims.claims]
        known = self.state.claims
        return frozenset([*known.csi_volumes(claims), *(it for one in to_be for it in known.csi_volume_to_be(*one))])

    def attached(self, node, in_use):
        """How many volumes of each driver count there."""
        facts = [self.state.claims.volumes.get(it.volume) for it in self.attachments.values() if it.node == node]
        here = [it for it in self.attachments.values() if it.node == node]
        left = {
            CsiVolume(it.driver, fact.csi.handle) for it, fact in zip(here, facts, strict=True) if fact and fact.csi
        }
        return Counter(volume.driver for volume in in_use | left)

    def room(self, driver):
        """The room of all nodes with a limit, from the beginning."""
        return {
            node: limits[driver] - self.attached(node, self.in_use(node))[driver]
            for node, limits in self.limits.items()
            if driver in limits
        }

    def full(self, wanted, but):
        """By driver, the nodes that can't attach these, from the beginning."""
        full = {}
        for node, limits in self.limits.items():
            in_use = self.in_use(node, but)
            for driver, count in Counter(volume.driver for volume in wanted - in_use).items():
                if driver in limits and self.attached(node, in_use)[driver] + count > limits[driver]:
                    full.setdefault(driver, set()).add(node)
        return full


@pytest.mark.parametrize("seed", range(8))
def test_room_is_what_a_count_from_the_beginning_says(seed):
    world = World(seed)
    for _ in range(CHANGES):
        world.change()
        attachments, rnd = world.state.attachments, world.rnd

        wanted = frozenset(CsiVolume(rnd.choice(DRIVERS), f"pv-{rnd.randrange(5)}") for _ in range(rnd.randint(1, 3)))
        but = rnd.choice([None, *(GangKey("default", name) for name in GANGS)])
        driver = rnd.choice(DRIVERS)
        assert attachments.full(wanted, but=but) == world.full(wanted, but)
        assert dict(attachments.room(driver)) == world.room(driver)

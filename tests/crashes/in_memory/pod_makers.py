"""Controllers and people that make pods on a fake API server, and the kubelets that end them."""

import asyncio

from fake_cluster.api import REFUSED
from fake_cluster.jumping import now
from fake_cluster.owners import is_suspended
from fake_cluster.pod_gangs import BINDING
from fake_cluster.rig import DEFAULT, pod_place
from lockstep.api.quantities import rfc3339

_TURN_SECONDS = 1.0
# Longer than an attempt tries refused bindings again.
_REFUSED_SECONDS = 200.0


class PodMaker:
    """Makes ``size`` pods, and no other ones: who makes bare pods waits for what becomes of them.

    The binding of the second pod is refused until the pods were undone, here for longer than an attempt lasts. ``lost``
    has the pods that went though the maker did not delete them.
    """

    size = 3

    def __init__(self, api, make_pod):
        self._api = api
        self._make_pod = make_pod
        self._known = set()
        self._deleted = set()
        self._going = set()
        self._refused_at = None
        self.made = []
        self.lost = []
        self.is_over = False

    async def run(self):
        """Take one turn after the other, until cancelled."""
        while True:
            self._end_pods()
            self._note_lost()
            if not self.is_over:
                self.take_turn()
            await asyncio.sleep(_TURN_SECONDS)

    def take_turn(self):
        """Make pods, or delete them."""
        if not self.made:
            self.make_up_to_size()

    @property
    def is_undone(self):
        """Whether bindings are refused no longer."""
        return self._refused_at is not None and now() - self._refused_at > _REFUSED_SECONDS

    @property
    def may_lose(self):
        """The pods that may be evicted."""
        return set()

    @property
    def is_as_before(self):
        """Whether nothing of ours is left on the owner of the pods."""
        return True

    def trouble(self, request):
        """Refuse the binding of one of the first pods."""
        if (request.verb, request.resource) != ("POST", BINDING) or request.name != self.made[1] or self.is_undone:
            return None
        self._refused_at = self._refused_at or now()
        return REFUSED

    def live(self):
        """The names of the pods that are there and are not being deleted."""
        pods = self._api.store.objects("pods", DEFAULT)
        return [it["metadata"]["name"] for it in pods if "deletionTimestamp" not in it["metadata"]]

    def make_up_to_size(self):
        """Make the pods that are missing."""
        while len(self.live()) < self.size:
            self.make(f"heat-{len(self.made)}")

    def make(self, name):
        """Make a pod of that name."""
        self._api.store.create("pods", self._make_pod(name))
        self._known.add(name)
        self._deleted.discard(name)
        self.made.append(name)

    def delete_all(self):
        """Delete all pods. Those on nodes stay a while, as their kubelets take their time."""
        for name in self.live():
            self._deleted.add(name)
            if self._api.store.get(pod_place(name))["spec"].get("nodeName"):
                self._api.store.change(pod_place(name), metadata={"deletionTimestamp": rfc3339(now())})
            else:
                self._api.store.remove(pod_place(name))

    def _end_pods(self):
        """End the pods that were being deleted a turn ago, as kubelets do."""
        for name in self._going:
            self._api.store.remove(pod_place(name))
        self._going = {it["metadata"]["name"] for it in self._api.store.objects("pods", DEFAULT)} - {*self.live()}

    def _note_lost(self):
        gone = self._known - {*self.live()}
        self._known -= gone
        self.lost += sorted(gone - self._deleted)


class SuspendedMaker(PodMaker):
    """The controller of an owner, which has no pods while it is suspended. It would count a lost pod as a failure.

    ``policy`` is the field of the owner's spec that has ``suspend``.
    """

    def __init__(self, api, make_pod, owner, *, policy=""):
        super().__init__(api, make_pod)
        self._owner = owner
        self._policy = policy
        self._was_suspended = False
        self.suspensions = 0

    def take_turn(self):
        """Have all pods, or none."""
        is_now = is_suspended(self._api, self._owner, self._policy)
        self.suspensions += is_now and not self._was_suspended
        self._was_suspended = is_now
        if is_now:
            self.delete_all()
        else:
            self.make_up_to_size()

    @property
    def is_undone(self):
        """Whether the owner was suspended."""
        return self.suspensions > 0

    @property
    def is_as_before(self):
        """Whether the owner is not suspended, has no mark, and was suspended once."""
        labels = self._api.store.get(self._owner)["metadata"].get("labels", {})
        is_free = not is_suspended(self._api, self._owner, self._policy) and "lockstep.dev/suspended-by" not in labels
        return is_free and self.suspensions == 1


class ReplacingMaker(PodMaker):
    """A controller that makes a new pod for each that is gone, and counts nothing, as that of a Deployment."""

    def take_turn(self):
        """Make new pods for those that are gone."""
        self.make_up_to_size()

    @property
    def is_undone(self):
        """Whether a pod was evicted."""
        return bool(self.lost)

    @property
    def may_lose(self):
        """The first pods."""
        return {*self.made[: self.size]}


class GroupMaker(PodMaker):
    """The controller of a LeaderWorkerSet of one group: if its leader goes, it makes the whole group anew."""

    def take_turn(self):
        """Make the group when no pod of it is left."""
        if self.made[:1] and self.made[0] not in self.live():
            self.delete_all()
        if not self._api.store.objects("pods", DEFAULT):
            for number in range(self.size):
                self.make("heat-0" if number == 0 else f"heat-0-{number}")

    @property
    def is_undone(self):
        """Whether the leader was evicted."""
        return bool(self.lost)

    @property
    def may_lose(self):
        """The leader."""
        return {"heat-0"}

"""What holds of pods of any kind: the scenes that the tests of each kind play with its objects."""

from collections import Counter
from collections.abc import Callable
from types import FunctionType
from typing import NamedTuple

from e2e.controllers.owners import Owners
from eventually import eventually
from live.arena import Arena
from live.asked_plan import answers_of, ask_plan, nodes_of
from live.examples import apply_example
from live.places import are_anew, are_bound_anew
from live.pod_gangs import RANK, PodGangs
from live.proxy import Injected, Proxy
from lockstep.api.podgang.pod_roles import role_of_pod
from lockstep_demo.operator_process import OperatorProcess

SIZE = 4
BINDING = ("POST", "pods/binding")
REFUSED, BUSY = Injected(403), Injected(503)
# With this effect Kubernetes itself evicts nothing, so it is no matter of chance who takes the pods away.
LOST = {"key": "node.kubernetes.io/out-of-service", "effect": "NoSchedule"}
# The reason of a condition; None without a Gang.
AWAITS_PODS = ("AwaitsPods", None)


class Stage(NamedTuple):
    """Where scenes are played: nodes and Gangs of a test's own, and the operator with a proxy before it."""

    arena: Arena
    gangs: PodGangs
    operator: OperatorProcess
    proxy: Proxy

    def submit(self, owners: Owners, name: str, size: int) -> str:
        """Create a Gang, unless the operator makes it, and the object that makes its pods; return the Gang's name."""
        if not owners.is_made:
            self.gangs.submit(name, size)
        owners.create(name, size)
        return owners.gang(name)

    def bind_in_part(self, owners: Owners, name: str, *, nodes: int = 2, cpu: str = "2") -> str:
        """Have two of the pods of a new object bound; the other bindings are refused until the proxy is reset."""
        self.arena.add_nodes(nodes, cpu=cpu)
        self.refuse_bindings_after(2)
        gang = self.submit(owners, name, SIZE)
        eventually(lambda: self.gangs.bound(gang) == 2)
        return gang

    def refuse_bindings_after(self, number: int) -> None:
        """Refuse all bindings but the first ones, until the proxy is reset."""
        self.proxy.fault = _answers_bindings_after(number, REFUSED)

    def delay_bindings_after(self, number: int) -> None:
        """Have all bindings but the first ones tried again and again, until they are allowed."""
        self.proxy.fault = _answers_bindings_after(number, BUSY)

    def allow_bindings(self) -> None:
        """Refuse no binding any more."""
        self.proxy.fault = lambda _verb, _resource: None

    def lose_free_nodes(self, gang: str) -> None:
        """Delete the nodes that no pod of a Gang is on."""
        for node in {*self.arena.nodes} - {*self.gangs.nodes_of(gang)}:
            self.arena.api.request("DELETE", f"/api/v1/nodes/{node}")
            self.arena.nodes.remove(node)

    def check_whole(self, name: str, size: int = SIZE) -> None:
        """See that all pods of a Gang are on the nodes that were planned, and stay there."""
        self.gangs.until(name, "Placed")
        nodes = self.gangs.nodes_of(name)
        assert len(nodes) == size
        assert nodes == self.planned(name)

    def until_awaits_pods(self, name: str) -> None:
        """Wait until a Gang waits for pods, or is gone: one that the operator made goes with its owner."""
        eventually(lambda: self.gangs.condition(name, "Placed").get("reason") in AWAITS_PODS)

    def until_all_beside(self, name: str, first: int = 1, size: int = SIZE) -> None:
        """Wait until the pods that come after the first are on nodes too: the Gang's size is that of the first."""
        self.until_on_planned_nodes(name, size)
        assert self.ranks(name) == list(range(size))
        assert self.gangs.spec(name)["size"] == {"min": first}

    def until_on_planned_nodes(self, name: str, size: int) -> None:
        """Wait until so many pods of a Gang are on the nodes that were planned, and no other pod waits."""
        eventually(lambda: len(nodes := self.gangs.nodes_of(name)) == size and nodes == self.planned(name))

    def check_nothing_kept(self, owners: Owners, name: str) -> None:
        """See that a Gang whose object is deleted holds no nodes: it is gone, or waits for pods."""
        if owners.is_made:
            eventually(lambda: not self.gangs.status(name))
            return
        self.gangs.until(name, "Planned", "False", "AwaitsPods")
        assert "members" not in self.gangs.status(name)

    def planned(self, name: str) -> list[str]:
        """The nodes of a Gang's plan, sorted; one as often as it has pods."""
        members = self.gangs.status(name)["members"]
        return sorted(one["node"] for one in members for _ in range(one.get("count", 1)))

    def numbers_bound(self, *names: str) -> list[int]:
        """How many pods of each Gang are on nodes, in ascending order."""
        return sorted(map(self.gangs.bound, names))

    def ranks(self, name: str) -> list[int]:
        """The ranks of the pods of a Gang that are on nodes, in ascending order."""
        annotations = [pod["metadata"].get("annotations") or {} for pod in self.gangs.pods(name)]
        return sorted(int(one[RANK]) for one in annotations if RANK in one)


Scene = FunctionType
"""A function that plays something on a stage, with objects of one kind."""


def placed_whole(stage: Stage, owners: Owners) -> None:
    """All pods go to the nodes that were planned."""
    stage.arena.add_nodes(2, cpu="2")

    gang = stage.submit(owners, "heat", SIZE)

    stage.check_whole(gang)
    assert stage.ranks(gang) == list(range(SIZE))
    eventually(lambda: stage.gangs.status(gang)["state"] == "Running")


def placed_as_planned(stage: Stage, owners: Owners) -> None:
    """All pods go to the nodes that ``lockstep plan`` names before, by the object's file."""
    for cpu in ("1", "2", "3"):
        stage.arena.add_nodes(1, cpu=cpu)
    [answer] = answers_of(ask_plan(stage.arena, owners.manifest("heat", SIZE)))["gangs"]

    gang = stage.submit(owners, "heat", SIZE)

    stage.check_whole(gang)
    assert answer["gang"]["name"] == f"gang/{gang}"
    assert nodes_of(answer) == stage.gangs.nodes_of(gang)
    _check_roles(stage, owners, gang)


def _check_roles(stage: Stage, owners: Owners, gang: str) -> None:
    """The Gang has the roles that the controller writes to the pods."""
    roles = {role["name"]: role["size"]["min"] for role in stage.gangs.spec(gang).get("roles", [])}
    said = Counter(role_of_pod(pod["metadata"]["labels"], owners.source) for pod in stage.gangs.pods(gang))
    assert roles == {role: number for role, number in said.items() if role}


def too_large(stage: Stage, owners: Owners) -> None:
    """No pod of an object that is too large is bound, and a smaller one passes it."""
    stage.arena.add_nodes(2, cpu="2")
    large = stage.submit(owners, "large", SIZE + 1)
    eventually(lambda: "fit" in stage.gangs.condition(large, "Planned").get("message", ""))

    small = stage.submit(owners, "small", SIZE - 1)

    stage.check_whole(small, SIZE - 1)
    assert stage.gangs.bound(large) == 0


def suspended_and_resumed(stage: Stage, owners: Owners) -> None:
    """Its pods are placed whole again, and its controller counts nothing."""
    stage.arena.add_nodes(2, cpu="2")
    gang = stage.submit(owners, "heat", SIZE)
    stage.check_whole(gang)
    before = owners.losses("heat")

    owners.suspend("heat")
    stage.until_awaits_pods(gang)
    eventually(lambda: not stage.gangs.pods(gang))
    owners.resume("heat")

    stage.check_whole(gang)
    assert owners.losses("heat") == before


def deleted_in_mid_bind(stage: Stage, owners: Owners) -> None:
    """An object that is deleted while its pods are bound leaves nothing reserved: the next has all of the room."""
    gang = stage.bind_in_part(owners, "heat")

    owners.delete("heat")
    eventually(lambda: not stage.gangs.pods(gang))
    stage.proxy.reset()
    following = stage.submit(owners, "next", SIZE)

    stage.check_whole(following)
    stage.check_nothing_kept(owners, gang)


def deleted_unseen_in_mid_bind(stage: Stage, owners: Owners) -> None:
    """The same while the operator is away: what it had reserved is free when it starts again."""
    stage.bind_in_part(owners, "heat")
    stage.operator.kill()

    owners.delete("heat")
    eventually(lambda: not stage.gangs.pods("heat"))
    stage.proxy.reset()
    stage.submit(owners, "next", SIZE)
    stage.operator.start()

    stage.check_whole("next")
    stage.check_nothing_kept(owners, "heat")


def suspended_in_mid_bind(stage: Stage, owners: Owners) -> None:
    """The pods that come when it is resumed are placed whole, and its controller counts nothing."""
    stage.bind_in_part(owners, "heat")
    before = owners.losses("heat")

    owners.suspend("heat")
    eventually(lambda: not stage.gangs.pods("heat"))
    stage.proxy.reset()
    owners.resume("heat")

    stage.check_whole("heat")
    assert owners.losses("heat") == before


def killed_in_mid_bind(stage: Stage, owners: Owners) -> None:
    """An operator that is killed after the second binding makes the others when it starts again."""
    stage.bind_in_part(owners, "heat")
    before, planned = owners.losses("heat"), stage.planned("heat")

    stage.operator.kill()
    stage.proxy.reset()
    stage.operator.start()

    stage.check_whole("heat")
    assert stage.planned("heat") == planned
    assert owners.losses("heat") == before


def begun_anew(stage: Stage, owners: Owners) -> None:
    """If nodes of the other pods go in mid-bind, all of its pods are placed anew; none counts."""
    gang = stage.bind_in_part(owners, "heat", nodes=SIZE, cpu="1")
    before, old = owners.losses("heat"), stage.gangs.places(gang)

    stage.lose_free_nodes(gang)
    eventually(lambda: are_anew(stage.gangs.places(gang), old, SIZE))
    assert stage.gangs.bound(gang) == 0
    stage.allow_bindings()
    stage.arena.add_nodes(2, cpu="1")

    stage.check_whole(gang)
    assert owners.losses("heat") == before


def lost_a_node(stage: Stage, owners: Owners) -> None:
    """If a node of its pods is lost, its owner is suspended, and all pods are placed on other nodes; none counts."""
    stage.arena.add_nodes(SIZE + 1, cpu="1")
    gang = stage.submit(owners, "heat", SIZE)
    stage.check_whole(gang)
    before, old = owners.losses("heat"), stage.gangs.places(gang)
    lost = min(old.values())

    stage.arena.api.request("PATCH", f"/api/v1/nodes/{lost}", {"spec": {"taints": [LOST]}})
    eventually(lambda: are_bound_anew(stage.gangs.places(gang), old, SIZE))

    stage.check_whole(gang)
    assert lost not in stage.gangs.nodes_of(gang)
    assert owners.losses("heat") == before


def rivals(stage: Stage, owners: Owners) -> None:
    """Of two that come at once and of which one fits, one is placed whole, and then the other."""
    stage.arena.add_nodes(2, cpu="2")
    for name in ("left", "right"):
        stage.submit(owners, name, SIZE - 1)

    eventually(lambda: stage.numbers_bound("left", "right") == [0, SIZE - 1])
    first = max(("left", "right"), key=stage.gangs.bound)
    owners.delete(first)

    eventually(lambda: stage.numbers_bound("left", "right") == [0, SIZE - 1] and not stage.gangs.pods(first))


def rivals_in_steps(stage: Stage, owners: Owners) -> None:
    """Of two that make their pods in steps, one has all of them on nodes before the other one has its first."""
    stage.arena.add_nodes(2, cpu="3")
    names = [stage.submit(owners, name, SIZE) for name in ("left", "right")]

    eventually(lambda: stage.numbers_bound(*names) == [0, SIZE])
    first = max(("left", "right"), key=lambda name: stage.gangs.bound(owners.gang(name)))
    owners.delete(first)

    eventually(lambda: stage.numbers_bound(*names) == [0, SIZE] and not stage.gangs.pods(owners.gang(first)))


def as_in_the_example(stage: Stage, owners: Owners, size: int) -> None:
    """All pods of the example of its kind are placed whole."""
    stage.arena.add_nodes(3, cpu="4")
    apply_example(stage.arena, owners.plural.removesuffix("s"))
    gang = owners.gang("heat")

    stage.gangs.until(gang, "Placed")
    stage.until_on_planned_nodes(gang, size)


ALL = (
    *(placed_whole, too_large, rivals, suspended_and_resumed),
    *(deleted_in_mid_bind, deleted_unseen_in_mid_bind, suspended_in_mid_bind, killed_in_mid_bind),
)

MADE = (placed_whole, too_large, suspended_and_resumed, deleted_in_mid_bind)
"""Those that are other where the operator makes the Gang."""
SUSPENDABLE = (*MADE, begun_anew, lost_a_node)
"""Those of a Gang that the operator makes for an owner that it can suspend."""


def named(scene: Scene) -> str:
    """The name by which a report knows a scene."""
    return scene.__name__


def _answers_bindings_after(count: int, answer: Injected) -> Callable[[str, str], Injected | None]:
    asked: list[str] = []

    def fault(verb: str, resource: str) -> Injected | None:
        if (verb, resource) != BINDING:
            return None
        asked.append(resource)
        return answer if len(asked) > count else None

    return fault

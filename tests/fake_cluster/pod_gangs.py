"""Gangs of pods that others create, on a fake API server: what tests create, and what they see."""

from builders.served import metadata, pod
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import DEFAULT, running_operator
from fake_cluster.store import Place

BINDING = "pods/binding"
RANK, SIZE, SEAT = (f"lockstep.dev/{word}" for word in ("rank", "size", "seat"))
HEAT = Place("gangs", DEFAULT, "heat")


def create(api, *names, least=None, cpu="4", **spec):
    """Create a Gang and pods of it; ``spec`` goes over its spec."""
    wanted = {"size": {"min": least or len(names)}, **spec}
    api.store.create("gangs", {"metadata": metadata("heat", namespace=DEFAULT, generation=1), "spec": wanted})
    add_pods(api, *names, cpu=cpu)


def add_pods(api, *names, cpu="4", labels=None, **spec):
    """Create pods of the Gang; ``spec`` goes over theirs."""
    for name in names:
        of_gang = {"lockstep.dev/member-of": "heat", **(labels or {})}
        api.store.create("pods", pod(name, cpu=cpu, spec={"schedulerName": "lockstep", **spec}, labels=of_gang))


def conditions(api):
    """The Gang's conditions: (status, reason) by type."""
    return {one["type"]: (one["status"], one["reason"]) for one in status_of(api).get("conditions", [])}


def message(api, kind):
    """The message of one of the Gang's conditions; empty while there is none."""
    return next((one["message"] for one in status_of(api).get("conditions", []) if one["type"] == kind), "")


def status_of(api):
    """The Gang's status."""
    return api.store.get(HEAT).get("status", {})


def is_placed(api):
    """Whether the Gang's status says that its pods are bound, and holds no reservation any more."""
    return conditions(api).get("Placed") == ("True", "Bound") and "reservedAt" not in status_of(api)


def bound(api):
    """The pods that have a node."""
    return [it for it in api.store.objects("pods") if it["spec"].get("nodeName")]


def written(api, annotation):
    """What the bindings have written in that annotation, by pod."""
    return {it["metadata"]["name"]: it["metadata"]["annotations"][annotation] for it in bound(api)}


def attempts(api):
    """The attempt that has bound each pod."""
    return {pod: seat.split("/")[1] for pod, seat in written(api, SEAT).items()}


def bindings(api, verb):
    """The pods that were bound, or tried, in the order of the requests."""
    return [it.name for it in api.requests if (it.verb, it.resource) == (verb, BINDING)]


def changes_of_pods(api):
    """Requests that create, change or delete a pod; bindings are none of them."""
    return [it for it in api.writes if it.resource == "pods"]


async def stop_after(api, names):
    """Run an operator until the first binding is made, and end it; bindings of the other pods do not arrive."""
    api.fault = lambda it: (
        Refusal(code=503) if (it.verb, it.resource) == ("POST", BINDING) and it.name not in names else None
    )
    async with running_operator(api):
        await until(lambda: len(bound(api)) == len(names))
    api.fault = lambda _: None

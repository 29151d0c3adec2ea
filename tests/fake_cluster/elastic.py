"""An elastic gang on four nodes beside another one, and what becomes of it when that ends."""

import asyncio

from builders.served import gang, node, role
from fake_cluster.api import NEVER_ARRIVED, POST
from fake_cluster.jumping import until
from fake_cluster.rig import (
    condition,
    gang_place,
    is_placed,
    pod_place,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)

MIN_INTERVAL = 600.0
FOUR = tuple(node(f"n{number}", cpu="1") for number in range(1, 5))
FIVE = (*FOUR, node("n5", cpu="500m", labels={"kind": "small"}))
"""Four nodes, of which a member of most gangs fills each, and a smaller one for launchers."""
HOURS = {"serialTime": "400h"}


def elastic(name="g", *, least=1, most=4, work=HOURS, restart="2m", asked=None, mode="Restart", pod_spec=None, **spec):
    """Describe a gang whose size may change, to the one ``asked`` for if given; each member fills a node."""
    terms = {"mode": mode, "restartTime": restart, "minInterval": "10m"}
    terms |= {} if asked is None else {"size": asked}
    return gang(name, size=least, most=most, spec={**_work(work), "elastic": terms, **spec}, pod_spec=pod_spec)


def with_launcher(name="g", *, least=1, most=4, work=HOURS, asked=None, is_first=True, load="None", cpu="500m", **spec):
    """Describe a gang with workers whose number may change, and a launcher on a node of its own."""
    manifest = elastic(name, least=least, most=most, work=work, asked=asked, **spec)
    launcher = role("launcher", load=load, cpu=cpu, nodeSelector={"kind": "small"})
    workers = role("workers", size=least, most=most)
    listed = [launcher, workers] if is_first else [workers, launcher]
    rest = {field: value for field, value in manifest["spec"].items() if field not in {"size", "template"}}
    return {**manifest, "spec": {**rest, "roles": listed}}


def rigid(name, *, size, takes=None, **spec):
    """Describe a gang of one size, whose work takes one member so long; without ``takes`` its time is unknown."""
    return gang(name, size=size, spec={**_work(takes and {"serialTime": takes}), **spec})


async def run(api, manifest, name="g"):
    """Place a gang, whose members then run."""
    api.store.create("gangjobs", manifest)
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: status_of(api, name).get("startedAt"))


async def beside_a_blocker(api, *, work=HOURS, mode="Restart", pod_spec=None):
    """Run an elastic gang on the two nodes that another one leaves."""
    await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
    await run(api, elastic(work=work, mode=mode, pod_spec=pod_spec))
    assert status_of(api)["size"] == 2


async def launched_beside_a_blocker(api, **described):
    """Run an elastic gang with a launcher and two workers, on the two of the four nodes that another one leaves."""
    await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
    await run(api, with_launcher(**described))
    assert status_of(api)["size"] == 3


def free_the_room(api):
    """End the gang beside the elastic one."""
    set_phases(api, "blocker", "Succeeded")


async def in_a_long_change(api):
    """Begin a change to all four nodes, in which the members take their grace."""
    await beside_a_blocker(api)
    api.lingers = True
    free_the_room(api)
    await until(lambda: "next" in status_of(api))


async def grown(api, *, takes):
    """Grow to all four nodes, where members run ``takes`` seconds after they are bound; the seconds in the status."""
    await beside_a_blocker(api)
    free_the_room(api)
    await until_attempt(api, 2)
    await asyncio.sleep(takes)
    set_phases(api, "g", "Running")
    return await until(lambda: status_of(api).get("lastChange", {}).get("seconds"))


async def in_a_long_change_to(api, size, *, from_size):
    """Begin a change to a size that is asked for, in which the members take their grace."""
    await run(api, elastic(asked=from_size))
    api.lingers = True
    ask_for(api, size)
    await until(lambda: "next" in status_of(api))


def end_grace(api, name="g"):
    """Remove the members that were asked to end."""
    for pod in pods_of(api, name):
        api.store.remove(pod_place(pod["metadata"]["name"]))
    api.lingers = False


def suspend(api):
    """Suspend the elastic gang, as its owner would."""
    change_spec(api, {"suspend": True})


async def grow_only_once_open(api, place, closed, *, size, largest):
    """Close the node or bid at a place: the gang keeps its size in room that becomes free, until it is open again."""
    was = api.store.get(place)["spec"]
    api.store.change(place, spec=closed)
    await asyncio.sleep(5)

    free_the_room(api)
    await asyncio.sleep(3600)
    assert (status_of(api)["size"], status_of(api)["attempt"]) == (size, 1)

    api.store.replace(place, {**api.store.get(place), "spec": was})
    await until_attempt(api, 2)
    assert status_of(api)["size"] == largest


async def hold_nothing_once_suspended(api, parts, *, then=lambda _: None):
    """Suspend the elastic gang, do what comes ``then``, and see that nothing is left of it or kept for it."""
    suspend(api)
    then(api)
    await until(lambda: condition(api, "g", "Suspended") == ("True", "GangSuspended"))
    assert ("next" in status_of(api), parts.state.ledger.assumed, pods_of(api, "g")) == (False, 0, [])


async def hold_nothing_once_deleted(api, parts, *, then=lambda _: None):
    """Delete the elastic gang, do what comes ``then``, and see that all of its room is another one's."""
    api.store.remove(gang_place("g"))
    then(api)
    await until(lambda: not pods_of(api, "g"))
    await asyncio.sleep(10)
    assert parts.state.ledger.assumed == 0
    await run(api, gang("other", size=4), "other")


def want_it_by(api, deadline):
    """Change the deadline of the elastic gang."""
    change_spec(api, {"deadline": deadline})


def ask_for(api, size, name="g"):
    """Ask for a size of the elastic gang, or with None for any size."""
    elastic = api.store.get(gang_place(name))["spec"]["elastic"]
    asked = {name: value for name, value in elastic.items() if name != "size"}
    change_spec(api, {"elastic": asked if size is None else {**asked, "size": size}}, name)


def change_spec(api, spec, name="g"):
    """Change fields of the gang's spec, as its owner would."""
    generation = api.store.get(gang_place(name))["metadata"]["generation"]
    api.store.change(gang_place(name), metadata={"generation": generation + 1}, spec=spec)


def note_of(api, reason):
    """The note of the only event with that reason."""
    [note] = [one["note"] for one in api.store.objects("events") if one["reason"] == reason]
    return note


async def until_attempt(api, attempt, name="g"):
    """Wait until an attempt of the gang is placed."""
    await until(lambda: status_of(api, name).get("attempt") == attempt and is_placed(api, name))


def _work(work):
    return {"work": work} if work else {}


async def leave_while_it_grows(api, kind, number):
    """Have the gang grow, and end the operator when it is about to send the request of this kind and number."""
    seen = []

    def stop_there(request):
        if request[:2] == kind and request.name.startswith("" if kind == (POST, "pods") else "g"):
            seen.append(request)
        return NEVER_ARRIVED if len(seen) >= number and request.is_write else None

    async with running_operator(api):
        api.fault = stop_there
        free_the_room(api)
        await until(lambda: len(seen) >= number)
    api.fault = lambda _: None

"""A gang of three members, two on nodes that are faster than the third, and what the operator makes of its pace."""

from builders.served import bid, container, gang, node
from fake_cluster.jumping import until
from fake_cluster.rig import gang_place, is_placed, pods_of, set_phases, status_of
from fake_cluster.store import Place

LOCAL = {"pace": "Local"}
NODES = [node(name, cpu="4") for name in ("n1", "n2", "n3")]
# The members on n1 and n2 need half and a quarter of what that on n3 does.
BIDS = [bid("n1", capacity="2"), bid("n2", capacity="4"), bid("n3")]
TURN = 30.0
PACED = {"n1": ("2000m", "2200m"), "n2": ("1000m", "1100m"), "n3": ("4", None)}
UNPACED = {"n1": ("4", None), "n2": ("4", None), "n3": ("4", None)}
# A limit can't be removed: it is as much as the node has.
OUT_OF_THE_WAY = {"n1": ("4000m", "4000m"), "n2": ("4000m", "4000m"), "n3": ("4", None)}


def paced_gang(name="g", *, size=3, spec=LOCAL, **pod_spec):
    """Describe a gang whose members fill a node each."""
    pod_spec = {"containers": [container(requests={"cpu": "4"})], **pod_spec}
    return gang(name, size=size, spec=spec, pod_spec=pod_spec)


def cpu_by_node(api, name="g"):
    """What the first container of each member has: (request, limit), by node."""
    found = {}
    for it in pods_of(api, name):
        resources = it["spec"]["containers"][0].get("resources", {})
        amounts = (resources.get(kind, {}).get("cpu") for kind in ("requests", "limits"))
        found[it["spec"]["nodeName"]] = tuple(amounts)
    return found


def resizes(api):
    """The requests that resize members."""
    return [request for request in api.requests if request.resource == "pods/resize"]


def pace_of(api, name="g"):
    """What the gang's status says of its pace."""
    return status_of(api, name).get("pace", {})


def change_bid(api, name, **spec):
    """Change what a node offers."""
    api.store.change(Place("nodebids", "", name), spec=spec)


def change_gang(api, **spec):
    """Change a gang as its owner would."""
    found = api.store.get(gang_place("g"))
    found["metadata"]["generation"] += 1
    found["spec"].update(spec)
    api.store.replace(gang_place("g"), found)


async def run_all(api, name="g"):
    """Wait until the gang is placed, and have its members run."""
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")


async def until_paced(api, want=PACED, name="g"):
    """Wait until the members have what is wanted, and the status counts them."""
    await until(lambda: cpu_by_node(api, name) == want)
    await until(lambda: pace_of(api, name).get("paced") == sum(want[one] != UNPACED[one] for one in want))

"""An elastic gang whose members read of a change of its size before it begins, and what they answer."""

from builders.notices import NOTICE, READS, READY
from fake_cluster.elastic import beside_a_blocker, free_the_room
from fake_cluster.jumping import now, until
from fake_cluster.rig import is_placed, pod_place, pods_of, status_of


def notices(api):
    """What the members of the gang can read."""
    return [annotations(pod).get(NOTICE) for pod in pods_of(api, "g")]


def annotations(pod):
    """The annotations of a pod."""
    return pod["metadata"].get("annotations", {})


async def with_notice(api, *, work=..., **pod_spec):
    """Have a gang of two members grow to four: both have notice. Returns the notice, and when it was given."""
    await beside_a_blocker(api, **({} if work is ... else {"work": work}), pod_spec={**READS, **pod_spec})
    began = now()
    free_the_room(api)
    return await until_noticed(api), began


async def until_noticed(api):
    """Wait until all members have the same notice, and return it."""
    await until(lambda: "next" in status_of(api) and len(set(notices(api))) == 1 and notices(api)[0])
    return notices(api)[0]


def answer(api, text, rank=0):
    """Say in the name of a member that it is ready for the change of that notice."""
    pod = next(one for one in pods_of(api, "g") if one["metadata"]["labels"]["lockstep.dev/rank"] == str(rank))
    place = pod_place(pod["metadata"]["name"])
    api.store.change(place, metadata={"annotations": {**annotations(pod), READY: text}})


def said_at(notice):
    """The size and the time in a notice."""
    size, _, time = notice.partition(" ")
    return int(size), time


def begins_at(api):
    """When the change begins at the latest, by the status."""
    return status_of(api)["next"].get("beginsAt")


async def until_taken_back(api):
    """Wait until no change is ahead, and no member has a notice or an answer."""
    await until(lambda: "next" not in status_of(api))
    await until(lambda: not any({NOTICE, READY} & annotations(pod).keys() for pod in pods_of(api, "g")))
    assert (status_of(api)["attempt"], is_placed(api), len(pods_of(api, "g"))) == (1, True, 2)

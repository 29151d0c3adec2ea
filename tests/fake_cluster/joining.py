"""An elastic gang whose members come and go while the others run."""

from fake_cluster.elastic import beside_a_blocker, free_the_room
from fake_cluster.jumping import until
from fake_cluster.rig import bound, is_placed, pods_of, set_phase, status_of


async def in_a_join(api, **described):
    """Have a gang of two members grow to four: two more are bound, and do not run yet."""
    await beside_a_blocker(api, mode="Members", **described)
    free_the_room(api)
    await until(lambda: len(bound(pods_of(api, "g"))) == 4)


def run_all(api, gang="g"):
    """Let all members run that are on a node and have not ended."""
    for pod in pods_of(api, gang):
        if pod["spec"].get("nodeName") and pod["status"]["phase"] == "Pending":
            set_phase(api, pod["metadata"]["name"], "Running")


async def until_size(api, size, gang="g"):
    """Let members run until the gang has so many, and no other pods."""

    def is_reached():
        run_all(api, gang)
        status = status_of(api, gang)
        return (status.get("size"), "next" in status, len(pods_of(api, gang))) == (size, False, size)

    await until(is_reached)
    assert is_placed(api, gang)


def ranks_of(api, gang="g"):
    """The ranks of the members that exist, sorted."""
    return sorted(int(pod["metadata"]["labels"]["lockstep.dev/rank"]) for pod in pods_of(api, gang))


def node_of(api, rank, gang="g"):
    """The node of the member of that rank."""
    [node] = [
        pod["spec"]["nodeName"]
        for pod in pods_of(api, gang)
        if pod["metadata"]["labels"]["lockstep.dev/rank"] == str(rank)
    ]
    return node

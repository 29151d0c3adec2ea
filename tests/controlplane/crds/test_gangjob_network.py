"""The network of a GangJob: what it may say, and the sentence that answers what it may not."""

import pytest

NOT_CHECKED = (
    ", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid;"
    " correct the existing errors to complete validation]"
)
OWN_NAMES = (
    "spec.network: Forbidden: templates must not set hostname or subdomain beside network, because members find each"
    " other by names that are made from both."
)
PORT = "spec.network.port: Forbidden: port is allowed only with rendezvous Torch or JAX."
LAUNCHER = "spec.network.launcher: Forbidden: launcher is allowed only with rendezvous MPI."
TIMEOUT = (
    'spec.network.startBarrier.timeout: Invalid value: "{}": timeout must be a Go duration from 1s to 24h, such as 90s'
    " or 1h30m."
)


def network(**fields):
    return {"spec": {"network": fields}}


def barrier(timeout):
    return network(startBarrier={"timeout": timeout})


def own(network_, **pod):
    return {"spec": {"network": network_, "template": {"spec": pod}}}


def own_in_a_role(**pod):
    template = {"spec": {"containers": [{"name": "member", "image": "registry.k8s.io/pause:3.10"}], **pod}}
    role = {"name": "workers", "size": {"min": 2, "max": 4}, "template": template}
    return {"spec": {"size": None, "template": None, "roles": [role], "network": {}}}


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(network(), id="nothing more"),
        pytest.param(network(rendezvous="None"), id="none, in so many words"),
        pytest.param(network(rendezvous="Torch", port=1), id="torch and a port"),
        pytest.param(network(rendezvous="JAX", port=65_535), id="jax and a port"),
        pytest.param(network(rendezvous="MPI"), id="mpi"),
        *(pytest.param(network(rendezvous="MPI", launcher=one), id=one) for one in ("OpenMPI", "MPICH", "Intel")),
        pytest.param(barrier("1s"), id="a short barrier"),
        pytest.param(barrier("24h"), id="a long barrier"),
        pytest.param(own(None, hostname="mine", subdomain="theirs"), id="names of its own, without network"),
        pytest.param(own({}, hostname="", subdomain=""), id="no names of its own, in so many words"),
        pytest.param(own_in_a_role(), id="roles"),
        pytest.param({"metadata": {"name": "1" + "a" * 51}, **network()}, id="a name that begins with a digit"),
    ],
)
def test_gangjob_accepts_network(answer_to_gang, patch):
    assert answer_to_gang(patch) == ""


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param(
            network(rendezvous="Guess"),
            '[spec.network.rendezvous: Unsupported value: "Guess": supported values: "None", "Torch", "MPI", "JAX"'
            f"{NOT_CHECKED}",
            id="an unknown rendezvous",
        ),
        pytest.param(
            network(rendezvous="MPI", launcher="Mine"),
            '[spec.network.launcher: Unsupported value: "Mine": supported values: "OpenMPI", "MPICH", "Intel"'
            f"{NOT_CHECKED}",
            id="an unknown launcher",
        ),
        pytest.param(network(launcher="MPICH"), LAUNCHER, id="a launcher of nothing"),
        pytest.param(network(rendezvous="Torch", launcher="MPICH"), LAUNCHER, id="a launcher of torch"),
        pytest.param(network(port=29_500), PORT, id="a port of nothing"),
        pytest.param(network(rendezvous="MPI", port=29_500), PORT, id="a port of mpi"),
        pytest.param(
            network(rendezvous="JAX", port=0),
            "spec.network.port: Invalid value: 0: spec.network.port in body should be greater than or equal to 1",
            id="port 0",
        ),
        pytest.param(
            network(rendezvous="JAX", port=65_536),
            "spec.network.port: Invalid value: 65536: spec.network.port in body should be less than or equal to 65535",
            id="a port that is none",
        ),
        pytest.param(barrier("999ms"), TIMEOUT.format("999ms"), id="a barrier that no gang meets"),
        pytest.param(barrier("24h1s"), TIMEOUT.format("24h1s"), id="a barrier of more than a day"),
        pytest.param(barrier("soon"), TIMEOUT.format("soon"), id="a barrier of no duration"),
        pytest.param(
            network(startBarrier={}),
            f"[spec.network.startBarrier.timeout: Required value{NOT_CHECKED}",
            id="a barrier without a timeout",
        ),
        pytest.param(own({}, hostname="mine"), OWN_NAMES, id="a host name of its own"),
        pytest.param(own({}, subdomain="theirs"), OWN_NAMES, id="a subdomain of its own"),
        pytest.param(own_in_a_role(hostname="mine"), OWN_NAMES, id="a host name of a role's own"),
    ],
)
def test_gangjob_refuses_network(answer_to_gang, patch, want):
    assert answer_to_gang(patch) == want

"""How many members' names fit into one ConfigMap."""

import pytest

from builders.facts import gang_spec
from lockstep.api.common_objects import LARGEST_FILES
from lockstep.api.rendezvous.limits import crowd_refusal
from lockstep.facts.gang.network import NetworkSpec, Rendezvous
from lockstep.facts.reasons import Reason

LONG = "a" * 52


def refusal(name, most, network):
    return crowd_refusal(name, gang_spec(size=1, most=most, network=network))


@pytest.mark.parametrize(
    ("name", "most", "rendezvous"),
    [("train", 10_000, Rendezvous.TORCH), ("train", 10_000, Rendezvous.MPI), (LONG, 4_000, Rendezvous.MPI)],
)
def test_usual_crowd_fits(name, most, rendezvous):
    assert refusal(name, most, NetworkSpec(rendezvous=rendezvous)) is None


@pytest.mark.parametrize(("rendezvous", "want"), [(Rendezvous.NONE, "1170000"), (Rendezvous.MPI, "2470000")])
def test_crowd_of_long_names_is_refused_with_numbers(rendezvous, want):
    found = refusal(LONG, 10_000, NetworkSpec(rendezvous=rendezvous))

    assert found.reason == Reason.INVALID_SPEC
    assert found.message == (
        f"network: give the gang a shorter name, or fewer members: the names of 10000 members take up to {want} bytes, "
        f"and a ConfigMap holds at most {LARGEST_FILES}."
    )


def test_gang_without_network_has_no_file():
    assert refusal(LONG, 10_000, None) is None

"""What is written to a lease."""

import pytest

from lockstep.api.cluster.lease import HELD_BY, KEY, LeaseHolder, given_back_lease, held_lease, new_lease, read_lease

NOW = 1_700_000_000.25
WHEN = "2023-11-14T22:13:20.250000Z"
ME = LeaseHolder.of_instance("me")


def lease(spec, **metadata):
    return read_lease({"metadata": {"name": "l", "uid": "u", "resourceVersion": "7", **metadata}, "spec": spec})


def held(before, *, seconds=15):
    return held_lease(before, ME, seconds=seconds, now=NOW)["spec"]


def as_served(manifest):
    return lease(manifest["spec"], **manifest["metadata"])


def test_new_lease_has_no_transition():
    assert new_lease("ns", "l", ME, seconds=15, now=NOW) == {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"namespace": "ns", "name": "l", "annotations": {HELD_BY: ME.name}},
        "spec": {
            "holderIdentity": ME.name,
            "leaseDurationSeconds": 15,
            "acquireTime": WHEN,
            "renewTime": WHEN,
            "leaseTransitions": 0,
        },
    }


def test_renewal_keeps_when_it_was_acquired():
    spec = held(lease({"holderIdentity": ME.name, "acquireTime": "then", "leaseTransitions": 3}))

    assert (spec["acquireTime"], spec["renewTime"], spec["leaseTransitions"]) == ("then", WHEN, 3)


@pytest.mark.parametrize(("before", "want"), [(3, 4), (None, 1), (2**31 - 1, 2**31 - 1)])
def test_taking_over_is_a_transition(before, want):
    spec = held(lease({"holderIdentity": "other", "acquireTime": "then", "leaseTransitions": before}))

    assert (spec["acquireTime"], spec["leaseTransitions"]) == (WHEN, want)


def test_part_of_a_second_is_a_whole_one():
    assert held(lease({}), seconds=1.2)["leaseDurationSeconds"] == 2


def test_lease_that_its_holder_gives_back_is_known_as_such():
    before = as_served(held_lease(lease({"leaseTransitions": 3}), ME, seconds=15, now=NOW))
    after = as_served(given_back_lease(before, ME, now=NOW))

    assert (before.is_given_back, after.is_given_back) == (False, True)
    assert (after.holder, after.transitions) == ("", 4)


def test_next_holder_takes_the_proof_away():
    before = as_served(given_back_lease(lease({}), ME, now=NOW))
    other = LeaseHolder.of_instance("other")

    assert held_lease(before, other, seconds=15, now=NOW)["metadata"]["annotations"] == {HELD_BY: other.name}


@pytest.mark.parametrize("key", [None, "", "guess"])
def test_no_other_process_can_give_it_back(key):
    annotations = {HELD_BY: ME.name} if key is None else {HELD_BY: ME.name, KEY: key}

    assert not lease({"holderIdentity": "", "leaseDurationSeconds": 1}, annotations=annotations).is_given_back


@pytest.mark.parametrize("spec", [None, {}, {"holderIdentity": None}], ids=["no spec", "an empty one", "no holder"])
def test_lease_as_it_is_installed_is_unused(spec):
    assert lease(spec).is_unused
    assert not lease(spec, annotations={HELD_BY: ME.name}).is_unused


def test_lease_is_replaced_only_as_it_was_seen_or_made_anew_where_it_was_deleted():
    metadata = held_lease(lease({}), ME, seconds=15, now=NOW)["metadata"]

    # With its UID the API server would replace that very object only.
    assert metadata == {"name": "l", "resourceVersion": "7", "annotations": {HELD_BY: ME.name}}


def test_what_others_say_about_the_lease_stays():
    others = {"labels": {"app.kubernetes.io/managed-by": "Helm"}, "annotations": {"meta.helm.sh/release-name": "l"}}
    before = lease({}, managedFields=[{}], **others)

    metadata = held_lease(before, ME, seconds=15, now=NOW)["metadata"]

    assert metadata["labels"] == others["labels"]
    assert metadata["annotations"] == {**others["annotations"], HELD_BY: ME.name}
    assert "managedFields" not in metadata

"""What is written to a lease."""

import pytest

from lockstep.api.lease import held_spec, lease_manifest, read_lease, released_spec

NOW = 1_700_000_000.25
WHEN = "2023-11-14T22:13:20.250000Z"


def lease(spec):
    return read_lease({"metadata": {"uid": "u", "resourceVersion": "7"}, "spec": spec})


def test_new_lease_has_no_transition():
    assert held_spec(None, "me", seconds=15, now=NOW) == {
        "holderIdentity": "me",
        "leaseDurationSeconds": 15,
        "acquireTime": WHEN,
        "renewTime": WHEN,
        "leaseTransitions": 0,
    }


def test_renewal_keeps_when_it_was_acquired():
    before = lease({"holderIdentity": "me", "acquireTime": "then", "leaseTransitions": 3})

    spec = held_spec(before, "me", seconds=15, now=NOW)

    assert (spec["acquireTime"], spec["renewTime"], spec["leaseTransitions"]) == ("then", WHEN, 3)


@pytest.mark.parametrize(("before", "want"), [(3, 4), (None, 1), (2**31 - 1, 2**31 - 1)])
def test_taking_over_is_a_transition(before, want):
    spec = held_spec(
        lease({"holderIdentity": "other", "acquireTime": "then", "leaseTransitions": before}), "me", seconds=15, now=NOW
    )

    assert (spec["acquireTime"], spec["leaseTransitions"]) == (WHEN, want)


def test_part_of_a_second_is_a_whole_one():
    assert held_spec(None, "me", seconds=1.2, now=NOW)["leaseDurationSeconds"] == 2


def test_lease_that_was_given_back_is_known_as_such():
    spec = released_spec(lease({"holderIdentity": "me", "leaseTransitions": 3}), now=NOW)

    assert lease(spec).is_given_back
    assert spec["leaseTransitions"] == 3


@pytest.mark.parametrize("spec", [None, {}, {"holderIdentity": None}], ids=["no spec", "an empty one", "no holder"])
def test_lease_as_it_is_installed_is_free(spec):
    assert lease(spec).is_given_back


def test_lease_is_replaced_only_as_it_was_seen_or_made_anew_where_it_was_deleted():
    seen = {"name": "l", "namespace": "ns", "resourceVersion": "7"}
    before = read_lease({"metadata": {**seen, "uid": "u"}, "spec": {}})

    # With its UID the API server would replace that very object only.
    assert lease_manifest("ns", "l", {}, before=before)["metadata"] == seen
    assert lease_manifest("ns", "l", {}, before=None)["metadata"] == {"name": "l", "namespace": "ns"}


def test_what_others_say_about_the_lease_stays():
    others = {"labels": {"app.kubernetes.io/managed-by": "Helm"}, "annotations": {"meta.helm.sh/release-name": "l"}}
    before = read_lease({"metadata": {"uid": "u", "resourceVersion": "7", "managedFields": [{}], **others}})

    assert lease_manifest("ns", "l", {}, before=before)["metadata"] == {"resourceVersion": "7", **others}

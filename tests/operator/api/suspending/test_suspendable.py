"""What an object says of its suspension: whose mark it has, and who has set ``suspend`` since."""

import pytest

from fake_cluster.api import merged
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS, suspended_for, unmarking

BY_SPEC = next(kind for kind in SUSPENDABLE_KINDS if not kind.policy)
BY_POLICY = next(kind for kind in SUSPENDABLE_KINDS if kind.policy)


def owner(uid="u1", *, spec=None, **metadata):
    return {"metadata": {"name": "heat", "uid": uid, "resourceVersion": "7", **metadata}, "spec": spec or {}}


def managed(*entries):
    return [{"manager": manager, "fieldsV1": fields} for manager, fields in entries]


@pytest.mark.parametrize("kind", [BY_SPEC, BY_POLICY], ids=lambda kind: kind.kind)
def test_suspension_is_undone_by_the_resumption(kind):
    suspended = merged(owner(), kind.suspension(owner(), "job.heat"))

    assert (kind.is_suspended(suspended), suspended_for(suspended)) == (True, "job.heat")
    resumed = merged(suspended, kind.resumption(suspended))
    assert (kind.is_suspended(resumed), suspended_for(resumed)) == (False, "")


def test_owner_that_gets_a_size_anew_stays_suspended_without_its_size():
    marks = {"lockstep.dev/sized": "4", "lockstep.dev/sized-uid": "u1"}
    suspended = merged(owner(), BY_SPEC.suspension(owner(annotations=marks), "job.heat"))
    suspended["metadata"]["annotations"] |= marks

    waiting = merged(suspended, BY_SPEC.resumption(suspended, gets_size=True))

    assert (BY_SPEC.is_suspended(waiting), suspended_for(waiting)) == (True, "")
    assert not marks.keys() & waiting["metadata"]["annotations"].keys()


def test_mark_is_removed_without_a_change_of_the_spec():
    suspended = merged(owner(), BY_SPEC.suspension(owner(), "job.heat"))
    left = merged(suspended, unmarking(suspended))

    assert (BY_SPEC.is_suspended(left), suspended_for(left)) == (True, "")


@pytest.mark.parametrize("annotations", [None, {}, {"lockstep.dev/suspended-for": "job.heat"}])
def test_mark_without_the_uid_of_its_object_is_not_ours(annotations):
    copied = owner(labels={"lockstep.dev/suspended-by": "lockstep"}, annotations=annotations)

    assert suspended_for(copied) == ""


def test_mark_of_a_copy_is_not_ours():
    suspended = merged(owner(), BY_SPEC.suspension(owner(), "job.heat"))

    assert suspended_for(merged(suspended, {"metadata": {"uid": "u2"}})) == ""


@pytest.mark.parametrize(
    ("entries", "is_theirs"),
    [
        pytest.param((), False, id="nothing is said"),
        pytest.param((("lockstep", {"f:spec": {"f:suspend": {}}}),), False, id="ours"),
        pytest.param((("kubectl", {"f:spec": {"f:parallelism": {}}}),), False, id="another field"),
        pytest.param((("kubectl", {"f:spec": {"f:suspend": {}}}),), True, id="theirs"),
        pytest.param(
            (("lockstep", {"f:spec": {"f:suspend": {}}}), ("argocd", {"f:spec": {"f:suspend": {}}})), True, id="both"
        ),
        pytest.param((("kubectl", None),), False, id="no fields"),
    ],
)
def test_others_have_set_suspend_if_they_manage_the_field(entries, is_theirs):
    assert BY_SPEC.is_set_by_others(owner(managedFields=managed(*entries))) is is_theirs


def test_field_of_a_policy_is_found_below_it():
    entries = managed(("kubectl", {"f:spec": {f"f:{BY_POLICY.policy}": {"f:suspend": {}}}}))

    assert BY_POLICY.is_set_by_others(owner(managedFields=entries))
    assert not BY_SPEC.is_set_by_others(owner(managedFields=entries))


@pytest.mark.parametrize("spec", [None, {}, {"runPolicy": None}, {"runPolicy": {}}])
def test_object_without_the_field_is_not_suspended(spec):
    assert not BY_POLICY.is_suspended({"metadata": {}, "spec": spec})

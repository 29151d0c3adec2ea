import pytest

from e2e.controllers.audit import OPERATOR, pods_ended_by_operator


def event(verb, resource="pods", subresource="", user=OPERATOR):
    about = {"resource": resource, "subresource": subresource}
    return {"user": {"username": user}, "verb": verb, "requestURI": f"/{resource}/{subresource}", "objectRef": about}


@pytest.mark.parametrize(
    "asked",
    [event("delete"), event("deletecollection"), event("create", subresource="eviction")],
    ids=["deletion", "deletion of many", "eviction"],
)
def test_end_of_a_pod_is_found(asked):
    assert len(pods_ended_by_operator([event("list"), asked])) == 1


@pytest.mark.parametrize(
    "asked",
    [event("create", subresource="binding"), event("delete", "leases"), event("delete", user="system:somebody")],
    ids=["binding", "other kind", "other account"],
)
def test_other_requests_end_no_pod(asked):
    assert pods_ended_by_operator([event("list"), asked]) == []


def test_log_without_the_operator_is_no_proof():
    with pytest.raises(AssertionError, match="proves nothing"):
        pods_ended_by_operator([event("delete", user="system:somebody")])

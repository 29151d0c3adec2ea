"""Which refusals of a member waiting can mend, and which it can't."""

import pytest

from lockstep.act.requests.api_refusals import is_pod_gone_or_changed, refused_pod, refused_template
from lockstep.api.client.answer import Answer
from lockstep.facts.reasons import Reason

FORBIDDEN = 'pods "g-1-0" is forbidden: '
RIGHTS = 'pods is forbidden: User "lockstep" cannot create resource "pods" in API group "" in the namespace "a"'


def answer(code, message):
    return Answer(code, {"message": message})


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param(422, 'Pod "g-1-0" is invalid: spec.containers[0].image: Required value', id="invalid"),
        pytest.param(400, "Pod in version v1 cannot be handled as a Pod: quantities must match", id="not understood"),
        pytest.param(413, "etcdserver: request is too large", id="too large"),
        pytest.param(403, f'{FORBIDDEN}violates PodSecurity "restricted:latest"', id="pod security"),
        pytest.param(403, f"{FORBIDDEN}maximum cpu usage per Container is 1, but limit is 2", id="a limit range"),
        pytest.param(403, f"{FORBIDDEN}failed quota: q: must specify limits.cpu for: main", id="a quota's demand"),
        pytest.param(
            422, f"{FORBIDDEN}ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no", id="a policy"
        ),
        pytest.param(401, f"{FORBIDDEN}ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no", id="a code"),
        pytest.param(403, 'admission webhook "w" denied the request: team not found', id="a webhook"),
    ],
)
def test_waiting_does_not_mend(code, message):
    refusal = refused_template(answer(code, message))

    assert refusal == (Reason.TEMPLATE_REFUSED, f"The API server refuses the members: {message}.")
    assert refused_pod("g-1-0", answer(code, message)).reason is Reason.TEMPLATE_REFUSED


@pytest.mark.parametrize(
    ("code", "message", "want"),
    [
        pytest.param(403, f"{FORBIDDEN}exceeded quota: q", Reason.QUOTA_EXCEEDED, id="a quota"),
        pytest.param(403, f"{FORBIDDEN}status unknown for quota: q", Reason.POD_REFUSED, id="a new quota"),
        pytest.param(
            403,
            f'{FORBIDDEN}error looking up service account a/b: serviceaccount "b" not found',
            Reason.POD_REFUSED,
            id="a service account",
        ),
        pytest.param(
            403, f'{FORBIDDEN}pod rejected: RuntimeClass "a" not found', Reason.POD_REFUSED, id="a runtime class"
        ),
        pytest.param(
            403, f"{FORBIDDEN}no PriorityClass with name a was found", Reason.POD_REFUSED, id="a priority class"
        ),
        pytest.param(403, RIGHTS, Reason.POD_REFUSED, id="our own rights"),
        pytest.param(
            403,
            f"{FORBIDDEN}unable to create new content in namespace a because it is being terminated",
            Reason.POD_REFUSED,
            id="a namespace that goes",
        ),
        pytest.param(404, 'namespaces "a" not found', Reason.POD_REFUSED, id="a namespace that is gone"),
        pytest.param(409, "already exists", Reason.POD_REFUSED, id="a conflict"),
        pytest.param(
            400, 'admission webhook "w" does not support dry run', Reason.POD_REFUSED, id="a webhook without dry runs"
        ),
    ],
)
def test_waiting_may_mend(code, message, want):
    assert refused_template(answer(code, message)) is None
    assert refused_pod("g-1-0", answer(code, message)).reason is want


@pytest.mark.parametrize(
    ("code", "message", "want"),
    [
        pytest.param(404, "404 page not found", False, id="a page of a proxy"),
        pytest.param(409, "the object has been modified", True, id="a newer version"),
        pytest.param(
            422, 'Pod "p" is invalid: metadata.uid: Invalid value: "1": field is immutable', True, id="another"
        ),
        pytest.param(
            422, 'Pod "p" is invalid: spec: Forbidden: pod updates may not change fields', False, id="invalid"
        ),
        pytest.param(403, "denied: metadata.uid: Invalid value", False, id="denied in such words"),
        pytest.param(200, "", False, id="taken"),
    ],
)
def test_patch_of_a_pod_that_is_gone_is_no_refusal(code, message, want):
    assert is_pod_gone_or_changed(answer(code, message)) is want


def test_patch_of_a_pod_that_the_api_server_does_not_find_is_no_refusal():
    assert is_pod_gone_or_changed(Answer(404, {"message": 'pods "p" not found', "details": {"name": "p"}}))

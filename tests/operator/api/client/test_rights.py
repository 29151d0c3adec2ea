"""A right that is removed: what needs it is asked for rarely, the log says so once, and everything else goes on."""

import asyncio
import logging

import pytest

from builders.served import gang
from fake_cluster.api import Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import condition, is_placed, operator_over, pods_of
from fake_cluster.scripted import ScriptedServer, reply, status, stream
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.rights import Need, Rights, is_denial, need_of
from lockstep.process.start.rights import noting_watches
from rights.granted import OPERATOR, rights_of

pytestmark = pytest.mark.asyncio

ACCOUNT = "system:serviceaccount:lockstep-system:lockstep"
POD = Target("/api/v1/namespaces/default/pods/p", "pods")
ELSEWHERE = Target("/api/v1/namespaces/other/pods/p", "pods")
FOUND = reply(200, {"metadata": {"name": "p"}})


def denied(verb="get", resource="pods", where='in the namespace "default"'):
    """The API server's own words."""
    return f'{resource} "p" is forbidden: User "{ACCOUNT}" cannot {verb} resource "{resource}" in API group "" {where}'


def client_of(server, rights):
    return KubeClient(server.configuration, concurrency=4, observer=lambda *_: None, rights=rights)


def denying(*needs):
    """A fault that denies what those requests, by verb and resource, ask for."""

    def fault(request):
        is_denied = (request.verb, request.resource) in needs
        return Refusal(code=403, message=denied("patch", request.resource)) if is_denied else None

    return fault


STATUS = ("PATCH", "gangjobs/status")


def logged(caplog):
    return [(one.levelname, one.getMessage()) for one in caplog.records if one.name == "lockstep.api.client.rights"]


async def test_what_is_denied_is_asked_for_rarely_however_many_need_it():
    rights = Rights()
    async with ScriptedServer(*[status(403, denied())] * 40) as server, client_of(server, rights) as client:
        began = now()
        while now() < began + 300:
            answer = await client.get(POD)
            assert (answer.code, answer.message) == (403, denied())
            await asyncio.sleep(0.5)

    # Six tries, as an API server may just have started, and then one each 1, 2, 4 … 60 s.
    assert 6 + 8 <= len(server.asked) <= 6 + 10


async def test_denial_costs_only_its_own_verb_resource_and_namespace():
    rights = Rights()
    async with (
        ScriptedServer(*[status(403, denied())] * 6, *[FOUND] * 3) as server,
        client_of(server, rights) as client,
    ):
        assert not (await client.get(POD)).is_success
        answers = [await client.get(ELSEWHERE), await client.delete(POD, uid="u"), await client.patch(POD, {})]

        assert rights.denied == [Need("get", "pods", "default")]
    assert [answer.code for answer in answers] == [200, 200, 200]


async def test_right_that_is_given_back_is_used_within_a_minute_and_both_are_logged(caplog):
    caplog.set_level(logging.INFO)
    rights = Rights()
    async with (
        ScriptedServer(*[status(403, denied())] * 9, *[FOUND] * 60) as server,
        client_of(server, rights) as client,
    ):
        for _ in range(60):
            answer = await client.get(POD)
            await asyncio.sleep(0.5)

        assert answer.is_success
        assert rights.denied == []
    [(first, lost), (second, back)] = logged(caplog)
    assert (first, second) == ("ERROR", "INFO")
    assert lost.startswith(
        f"the API server forbids this process to get pods in namespace default: {denied()}; to restore the right, "
    )
    assert back.startswith("the API server allows this process to get pods in namespace default again, after ")


async def test_right_that_is_missing_for_a_moment_is_not_logged(caplog):
    rights = Rights()
    async with ScriptedServer(status(403, denied()), FOUND) as server, client_of(server, rights) as client:
        assert (await client.get(POD)).is_success

    assert logged(caplog) == []


async def test_watch_that_is_denied_is_logged_and_one_that_opens_ends_that(caplog):
    caplog.set_level(logging.INFO)
    rights, nodes = Rights(), Target("/api/v1/nodes", "nodes")
    script = [status(403, "no"), status(503), stream(b"{}\n")]
    async with ScriptedServer(*script) as server, client_of(server, rights) as client:
        for want in (["watch nodes in the whole cluster"], ["watch nodes in the whole cluster"], []):
            async with client.watch(nodes, {}):
                assert [str(need) for need in rights.denied] == want

    assert [level for level, _ in logged(caplog)] == ["ERROR", "INFO"]


async def test_watches_of_the_framework_are_noted_too():
    rights, seen = Rights(), []
    answered = noting_watches(rights, lambda *request: seen.append(request))
    answered("GET", "gangjobs", 403, 0.1)
    assert rights.denied == []
    answered("WATCH", "gangjobs", 403, 0.1)
    assert [str(need) for need in rights.denied] == ["watch gangjobs in the whole cluster"]
    answered("WATCH", "gangjobs", 200, 0.1)

    assert rights.denied == []
    assert len(seen) == 3


async def test_right_that_is_not_needed_any_more_is_not_reported_for_ever():
    rights = Rights()
    rights.deny(Need("get", "pods", "gone"), denied())
    assert rights.denied

    await asyncio.sleep(700)
    assert rights.denied == []


async def test_however_many_rights_are_denied_the_log_stays_short(caplog):
    rights = Rights()
    for number in range(500):
        rights.deny(Need("create", "pods", f"n{number}"), denied())

    assert len(rights.denied) == 500
    assert len(logged(caplog)) == 20


@pytest.mark.parametrize(
    "message",
    [
        pytest.param('pods "p" is forbidden: exceeded quota: small', id="a quota"),
        pytest.param(
            'pods "p" is forbidden: violates PodSecurity: capability "User "x" cannot get resource "" is not allowed',
            id="admission that quotes a tenant",
        ),
        pytest.param('admission webhook "x" denied the request: you cannot use resource "gpu"', id="a webhook"),
    ],
)
async def test_refusal_of_an_object_is_no_denial_of_a_right(message):
    rights = Rights()
    async with ScriptedServer(status(403, message), FOUND) as server, client_of(server, rights) as client:
        assert (await client.get(POD)).code == 403
        assert (await client.get(POD)).is_success

    assert not is_denial(403, message)


@pytest.mark.parametrize(
    ("verb", "path", "resource", "want"),
    [
        ("GET", "/api/v1/nodes", "nodes", "list nodes in the whole cluster"),
        ("GET", "/api/v1/namespaces", "namespaces", "list namespaces in the whole cluster"),
        ("WATCH", "/api/v1/pods", "pods", "watch pods in the whole cluster"),
        ("GET", "/api/v1/namespaces/a/pods", "pods", "list pods in namespace a"),
        ("GET", "/api/v1/namespaces/pods/pods/p", "pods", "get pods in namespace pods"),
        ("POST", "/api/v1/namespaces/a/pods/p/binding", "pods/binding", "create pods/binding in namespace a"),
        ("PUT", "/api/v1/namespaces/a/configmaps/c", "configmaps", "update configmaps in namespace a"),
        ("DELETE", "/api/v1/namespaces/a/pods/p", "pods", "delete pods in namespace a"),
    ],
)
async def test_need_is_named_as_rules_of_roles_name_it(verb, path, resource, want):
    assert str(need_of(verb, path, resource)) == want


async def test_namespace_that_denies_statuses_costs_no_other_anything():
    elsewhere = gang("other")
    elsewhere["metadata"]["namespace"] = "team"
    async with operator_over() as (api, parts):
        api.fault = lambda request: denying(STATUS)(request) if request.name == "denied" else None
        api.store.create("gangjobs", gang("denied"))
        await until(lambda: parts.rights.denied)
        api.store.create("gangjobs", elsewhere)
        await until(lambda: len(pods_of(api, "other")) == 2)

        assert parts.rights.trouble == ""
        assert [str(need) for need in parts.rights.denied] == ["patch gangjobs/status in namespace default"]


async def test_kind_that_is_denied_has_its_attempts_undone_and_everything_else_is_written():
    async with operator_over() as (api, parts):
        api.fault = denying(("POST", "pods/binding"))
        api.store.create("gangjobs", gang("g"))
        await until(lambda: condition(api, "g", "Placed") == ("False", "BindInterrupted"), seconds=120)
        assert parts.rights.trouble == ""

        api.fault = lambda _: None
        await until(lambda: is_placed(api, "g"), seconds=200)


async def test_operator_without_the_right_to_write_anything_waits_logs_it_once_and_goes_on(caplog):
    async with operator_over(gangs=[gang("first")]) as (api, parts):
        await until(lambda: is_placed(api, "first"))
        api.fault, api.may_write_statuses = denying(STATUS, ("POST", "pods"), ("POST", "events")), False
        began = len(api.requests)
        for number in range(5):
            api.store.create("gangjobs", gang(f"g{number}", size=1))
        await until(lambda: parts.rights.trouble)
        await asyncio.sleep(600)
        asked = api.requests[began:]

        api.fault, api.may_write_statuses = (lambda _: None), True
        await until(lambda: all(is_placed(api, f"g{number}") for number in range(5)), seconds=90)
        assert parts.rights.trouble == ""
        assert parts.rights.denied == []
        assert len(pods_of(api, "first")) == 2
    # The first denials with their tries, and then one question in a minute.
    assert len(asked) < 60
    assert len([one for one in asked if one.resource == "selfsubjectaccessreviews"]) <= 17
    warnings = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert len([one for one in warnings if "nothing can be written" in one]) == 1
    assert len(warnings) <= 3


# The most denials that are logged.
LOGGED = 20
OWNERS_MANIFESTS = ("rbac-sources.yaml", "rbac-sizing.yaml", "rbac-suspending.yaml")


def as_asked(resource):
    """A resource as requests name it: two groups have PodGroups."""
    group, _, plural = resource.partition("/")
    return plural.replace("podgroups", "podgroups.scheduling.k8s.io") if group == "scheduling.k8s.io" else plural


@pytest.mark.parametrize("manifest", OWNERS_MANIFESTS)
async def test_denial_names_a_manifest_that_has_the_right(manifest, caplog):
    have = {one: {(it.verb, it.resource) for it in rights_of(OPERATOR / one)} for one in OWNERS_MANIFESTS}
    missing = sorted(have[manifest])[:LOGGED]
    rights = Rights()
    for verb, resource in missing:
        rights.deny(Need(verb, as_asked(resource), ""), "no")

    said = [text for _, text in logged(caplog)]
    assert len(said) == len(missing)
    for right, text in zip(missing, said, strict=True):
        assert any(one in text for one, rights_there in have.items() if right in rights_there), text


async def test_denial_of_an_eviction_names_the_manifest_that_has_the_right(caplog):
    manifest = "rbac-evicting.yaml"
    assert ("create", "pods/eviction") in {(it.verb, it.resource) for it in rights_of(OPERATOR / manifest)}
    Rights().deny(Need("create", "pods/eviction", ""), "no")

    [(_, text)] = logged(caplog)
    assert manifest in text

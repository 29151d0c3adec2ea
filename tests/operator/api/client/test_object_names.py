"""Names that tenants write never lead to another object: in every path, and in every request."""

import inspect
from typing import get_type_hints

import pytest

from coschedule import GangKey
from fake_cluster.rig import operator_over
from lockstep.api.client import paths
from lockstep.api.client.answer import Target
from lockstep.api.client.object_names import may_exist
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.runs.sweep_keys import sweep_key

ODD = ("..", ".", "", "a/b", "../../../../api/v1/secrets", "a?watch=true", "a#b", "a%2fb", "%2e%2e", "a\\b", "ä", "a b")
USUAL = ("heat", "kube-root-ca.crt", "system:node", "heat-17")
PATHS = [one for _, one in inspect.getmembers(paths, inspect.isfunction) if one.__module__ == paths.__name__]


def target(function, name):
    """The path that the function makes with that name wherever it takes one."""
    hints = get_type_hints(function)
    given = {PodKey: PodKey("a", name), ClaimKey: ClaimKey("a", name), GangKey: gang_key(function, name)}
    texts = {"namespace": "a", "api_version": "batch/v1", "plural": "jobs"}
    return function(*(given.get(hints[one], texts.get(one, name)) for one in inspect.signature(function).parameters))


def gang_key(function, name):
    return sweep_key("a", name) if "sweep" in function.__name__ else GangKey("a", name)


def depth(one: Target) -> int:
    return one.path.count("/")


@pytest.mark.parametrize("name", [*ODD, *USUAL])
@pytest.mark.parametrize("function", PATHS, ids=lambda one: one.__name__)
def test_no_name_makes_a_path_longer_or_leads_out_of_it(function, name):
    usual = target(function, "heat")

    found = target(function, name)

    assert depth(found) == depth(usual)
    assert "?" not in found.path
    assert "#" not in found.path
    is_named = found != usual or name == "heat"
    assert may_exist(found.path) is (name in USUAL or not is_named)


def test_paths_of_gangs_are_safe_too():
    assert paths.gang(pod_gang_key("a", "../b")).path.endswith("/gangs/..%2Fb")
    assert len(PATHS) > 25


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["..", "../../../api/v1/namespaces/default/secrets/s", "a/status"])
async def test_no_request_is_sent_for_a_name_that_no_object_can_have(name):
    async with operator_over() as (api, parts):
        asked = len(api.requests)
        answer = await parts.services.client.get(paths.config_map("default", name))
        made = await parts.services.client.patch(paths.gang(GangKey("default", name)), {"metadata": {}})

        assert (answer.code, made.code, len(api.requests)) == (404, 404, asked)
        assert "no object may have that name" in answer.message

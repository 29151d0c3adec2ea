"""By which options commands plan: those of the operator that runs, unless others are given."""

import json

import pytest
import yaml

from builders.manifests import POOL_LABEL, gang
from eventually import eventually
from live.asking import confined, named
from live.electorate import Voter

HOUR = {"work": {"serialTime": "1h"}}
CONFIG_MAPS = "/api/v1/namespaces/lockstep-system/configmaps"
SETTINGS = f"{CONFIG_MAPS}/lockstep-settings"
WAITING = {"network": {"startBarrier": {"timeout": "1m"}}, **HOUR}


@pytest.fixture
def published(arena, operator_kubeconfig, tmp_path):
    """A leader with a gate image and a pool of its own, which has said so."""
    arena.delete(SETTINGS)
    options = (
        "--gate-image",
        "example.com/lockstep:1",
        "--sources",
        "pods,job",
        "--node-selector",
        f"{POOL_LABEL}={arena.pool}",
    )
    voter = Voter(operator_kubeconfig, tmp_path, *options)
    try:
        eventually(lambda: voter.leads)
        # The leader writes them some time after it has begun to lead.
        published = f"{CONFIG_MAPS}?fieldSelector=metadata.name%3Dlockstep-settings"
        yield eventually(lambda: [one["data"] for one in arena.api.request("GET", published)["items"]])[0]
    finally:
        voter.process.stop()
        arena.delete(SETTINGS)


def test_plan_answers_by_the_options_of_the_operator_that_runs(arena, published, ask):
    nodes = arena.add_nodes(2)
    others = arena.add_nodes(1, labels={POOL_LABEL: "elsewhere"})
    manifest = yaml.safe_dump({**gang("new", size=3, cpu="1", **WAITING), "metadata": named("new", arena.namespace)})

    done = ask("plan", "-f", "-", "-o", "json", stdin=manifest)

    assert done.exit_code == 0, done.stderr
    assert (published["gate-image"], published["sources"]) == ("example.com/lockstep:1", "job,pods")
    [answer] = json.loads(done.stdout)["gangs"]
    assert answer["reason"] == "StartsNow"
    assert {one["node"] for one in answer["members"]} <= set(nodes) - set(others)
    assert "not known" not in done.stderr


def test_option_that_is_given_wins_over_that_of_the_operator(arena, published, ask):
    arena.add_nodes(1)
    arena.add_nodes(1, labels={"elsewhere": "yes", POOL_LABEL: "elsewhere"})
    manifest = yaml.safe_dump({**gang("new", size=1, cpu="1", **WAITING), "metadata": named("new", arena.namespace)})

    done = ask("plan", "-f", "-", "-o", "json", "--node-selector", "elsewhere=yes", stdin=manifest)

    [answer] = json.loads(done.stdout)["gangs"]
    assert [one["node"] for one in answer["members"]] == [arena.nodes[-1]]


@pytest.fixture(params=["plan", "explain"])
def asked_about(request, arena):
    """The words of a command about a gang that waits for its members' network, and the manifest that it reads."""
    arena.add_nodes(1)
    manifest = confined(arena, gang("new", size=1, cpu="1", **WAITING))
    if request.param == "plan":
        return ("plan", "-f", "-"), yaml.safe_dump(manifest)
    arena.submit(manifest)
    return ("explain", "new"), None


@pytest.mark.parametrize(
    ("place", "want_why"),
    [
        pytest.param("lockstep-system/none", "ConfigMap lockstep-system/none can't be read", id="it may not be read"),
        pytest.param("lockstep-system/lockstep-settings", "there is no ConfigMap", id="no operator has published any"),
    ],
)
def test_what_is_assumed_is_said_where_the_operators_options_are_not_known(arena, ask, asked_about, place, want_why):
    command, manifest = asked_about
    arena.delete(SETTINGS)

    done = ask(*command, "-o", "json", "--settings", place, stdin=manifest)

    assert done.exit_code == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert f"The operator's options are not known, since {want_why}" in said
    assert "This plan assumes: no gate image, all nodes, sizing Balanced" in said
    document = json.loads(done.stdout)
    [answer] = document.get("gangs", [document])
    assert answer["phase"] == "Refused"
    assert "--gate-image" in answer["message"]

"""Commands know Gangs: ``lockstep queue`` shows those that wait beside GangJobs, and completion has their names."""

import json

import click
import pytest
from click.testing import CliRunner

from builders.manifests import gang
from eventually import eventually
from lockstep.cli import main
from lockstep.cli.options.gang_names import complete_any_gang

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture
def queue(arena):
    """What ``lockstep queue`` shows of the arena's namespace: the gangs as a document, or lines."""

    def run(*arguments):
        options = [f"--kubeconfig={arena.api.kubeconfig}", f"--namespace={arena.namespace}"]
        done = CliRunner().invoke(main, ["queue", *arguments, *options])
        assert done.exit_code == 0, done.stderr
        return done.stdout

    return run


def names(queue):
    return [one["gang"]["name"] for one in json.loads(queue("-o", "json"))["gangs"]]


def test_queue_shows_gangs_that_wait_beside_gangjobs(arena, gangs, queue):
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 5, name="large")
    arena.submit(gang("giant", size=50))
    eventually(lambda: "It needs 5 members" in gangs.condition("job.large", "Planned").get("message", ""))
    arena.until("giant", "Planned", "False", "NotEnoughRoom")

    assert sorted(names(queue)) == ["gang/job.large", "giant"]
    shown = queue()
    assert f"{arena.namespace}/gang/job.large" in shown
    assert "It needs 5 members, and 2 fit" in shown


def test_queue_says_what_a_gang_waits_for_as_its_status_does(arena, gangs, queue):
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 2, name="first", annotations={"lockstep.dev/serial-time": "1h"})
    gangs.until("job.first", "Placed")
    gangs.create_job("", 2, name="second", annotations={"lockstep.dev/serial-time": "1h"})
    gangs.until("job.second", "Planned", "True", "StartsLater")

    [second] = json.loads(queue("-o", "json"))["gangs"]

    assert second["gang"]["name"] == "gang/job.second"
    assert second["start"] == gangs.status("job.second")["start"]


def test_gang_that_is_placed_or_awaits_pods_is_not_in_the_queue(arena, gangs, queue):
    arena.add_nodes(1, cpu="4")
    gangs.submit("awaits", 3)
    gangs.create_pods("awaits", "a")
    gangs.create_job("", 2, name="placed")
    gangs.until("job.placed", "Placed")
    gangs.until("awaits", "Planned", "False", "AwaitsPods")

    assert names(queue) == []


def test_names_of_gangs_are_completed_behind_their_kind(arena, gangs):
    gangs.submit("heat", 2)
    arena.submit(gang("hold", size=50))
    context = click.Context(click.Command("explain"))
    context.params = {"kubeconfig": str(arena.api.kubeconfig), "namespace": arena.namespace}
    argument = click.Argument(["gang"])

    def found(typed):
        return [one.value for one in complete_any_gang(context, argument, typed)]

    assert (found("gang/h"), found("gj/h"), found("h")) == (["gang/heat"], ["gj/hold"], ["hold"])


def test_queue_shows_a_pod_that_is_a_gang_of_one(arena, gangs, queue):
    arena.add_nodes(1, cpu="2")
    gangs.create_pods("", "large", cpu="3")
    gangs.until("single.large", "Planned", "False", "NotEnoughRoom")

    assert names(queue) == ["gang/single.large"]
    assert "It needs 1 member, and 0 fit" in queue()

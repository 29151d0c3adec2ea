"""The names of gangs that commands accept, also as commands print them."""

import click
import pytest
from click.testing import CliRunner

from coschedule import GangKey
from lockstep.api.preemption import gang_name
from lockstep.cli import main
from lockstep.cli.options.answer_options import namespace_option
from lockstep.cli.options.gang_argument import any_gang_argument, gang_or_sweep_argument
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.runs.sweep_keys import sweep_key


def command(argument):
    @click.command()
    @argument
    @namespace_option
    def show(gang, namespace):
        click.echo("|".join(gang(namespace or "usual")))

    return show


def key_of(argument, *arguments):
    done = CliRunner().invoke(command(argument), arguments)
    assert done.exit_code == 0, done.output
    return GangKey(*done.output.strip().split("|"))


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param(["heat"], GangKey("usual", "heat"), id="a name"),
        pytest.param(["GJ/heat", "-n", "a"], GangKey("a", "heat"), id="a GangJob"),
        pytest.param(["gang/job.heat"], pod_gang_key("usual", "job.heat"), id="a Gang"),
        pytest.param([gang_name(pod_gang_key("a", "job.heat"))], pod_gang_key("a", "job.heat"), id="a printed Gang"),
        pytest.param(["a/gang/job.heat", "-n", "a"], pod_gang_key("a", "job.heat"), id="its namespace twice"),
        pytest.param([gang_name(sweep_key("a", "search"))], sweep_key("a", "search"), id="a printed sweep"),
        pytest.param(["a/gangjobs.lockstep.dev/heat"], GangKey("a", "heat"), id="a GangJob with its namespace"),
    ],
)
def test_names_are_accepted_as_they_are_printed(arguments, want):
    assert key_of(any_gang_argument, *arguments) == want


def test_sweep_is_accepted_where_gangs_are_not():
    assert key_of(gang_or_sweep_argument, "a/sweep/search") == sweep_key("a", "search")


def test_two_namespaces_are_refused():
    done = CliRunner().invoke(command(any_gang_argument), ["a/gang/job.heat", "-n", "b"])

    assert (done.exit_code, "a/gang/job.heat is in namespace a, and --namespace is b" in done.output) == (2, True)


@pytest.mark.parametrize("text", ["a/pod/heat", "a//heat", "/heat", "a/b/gj/heat", "A?x/gj/heat", "a/heat", "a/gj/"])
def test_what_is_no_name_is_refused(text):
    done = CliRunner().invoke(command(any_gang_argument), [text])

    assert (done.exit_code, f"{text} names no GangJob, Gang or GangSweep" in done.output) == (2, True)


@pytest.mark.parametrize("words", [["logs"], ["requeue"], ["resize", "--size", "2"], ["profile"]], ids=" ".join)
def test_command_that_works_for_no_gang_says_what_to_use(words):
    done = CliRunner().invoke(main, [*words, "gang/job.heat"])

    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "gang/job.heat is a Gang, and this command works only if" in said
    assert "use kubectl for the pods of the Gang and for their owner" in said

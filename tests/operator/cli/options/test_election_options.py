"""What may be said of the election, and what not."""

import click
import pytest
from click.testing import CliRunner

from lockstep.cli.options.election_options import election_options, take_election_terms


@click.command
@election_options
def vote(**options):
    click.echo(repr(take_election_terms(options)))


def said(*arguments):
    return CliRunner().invoke(vote, [f"--leader-elect-{argument}" for argument in arguments])


def test_times_are_those_of_client_go():
    shown = said().output

    assert "lease_duration=15.0, renew_deadline=10.0, retry_period=2.0" in shown
    assert "namespace='lockstep-system', name='lockstep'" in shown


def test_election_can_be_left_out():
    assert CliRunner().invoke(vote, ["--leader-elect=false"]).output == "None\n"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        pytest.param(["renew-deadline=15s"], "renew-deadline must be less than", id="a deadline past the lease"),
        pytest.param(["retry-period=9s"], "more than 1.2 retry periods", id="no time for a second try"),
        pytest.param(["retry-period=0"], "retry-period must be more than 0", id="no pause"),
        pytest.param(["lease-duration=500ms"], "lease-duration must be from 1s", id="less than a second"),
        pytest.param(["lease-duration=100000h"], "to 24h", id="years"),
        pytest.param(["lease-duration=soon"], "soon is not a duration", id="no duration"),
        pytest.param(["retry-period=-1s"], "not be negative", id="negative"),
    ],
)
def test_times_that_make_no_sense_are_refused(arguments, names):
    result = said(*arguments)

    assert result.exit_code == 2
    assert names in result.output

"""Numbers of pages that follow from several of the code, or from the defaults of options and of the chart."""

import pytest
import yaml

from coschedule_forecast import owners
from docs.markdown import ROOT, text_of
from docs.spellings import SPELLINGS
from lockstep.act import attempts
from lockstep.agent.measuring import capacity
from lockstep.api.members.own_container import own_container
from lockstep.api.records import history_params
from lockstep.api.times import duration_seconds
from lockstep.cli.agent import agent
from lockstep.cli.run import run
from lockstep.cycle.ends import late_members
from lockstep.cycle.planning import rotation
from lockstep.dealer import deal
from lockstep.facts.gang.policies import FailurePolicy
from lockstep.report.text.sentences import duration
from lockstep.tenants import requests

DAY_SECONDS = 86_400
VALUES = yaml.safe_load((ROOT / "charts" / "lockstep" / "values.yaml").read_text())


def default_of(command, option):
    return next(one.default for one in command.params if option in one.opts)


def seconds_of(command, option):
    """The default of an option that takes a duration."""
    return duration_seconds(default_of(command, option))


def minutes(seconds):
    return SPELLINGS["minutes"](seconds)


def span(seconds):
    return SPELLINGS["span"](seconds)


def once_in(rate):
    """How often that is, for a number that is allowed in a second."""
    return "one a second" if rate == 1 else f"one in {SPELLINGS['words'](1 / rate)} seconds"


RENEWAL = seconds_of(run, "--leader-elect-renew-deadline")
PERIOD, LIFETIME = seconds_of(agent, "--period"), seconds_of(agent, "--lifetime")
UNREACHABLE, LEASE = (seconds_of(run, f"--{name}") for name in ("unreachable-after", "leader-elect-lease-duration"))
OWN_AMOUNTS = own_container("", "", [])["resources"]["requests"]
OWN_ROOM = f"{int(OWN_AMOUNTS['cpu'].removesuffix('m')) / 1000:g} CPU and {OWN_AMOUNTS['memory']}"
IN_TURN = rotation._SHARE_OF_TURNS * rotation.MOST_IN_FRONT
RUN_OF_BENCHMARK = SPELLINGS["milliseconds"](capacity.ROUNDS / capacity.REFERENCE)
LAST_SECONDS = late_members._LAST_SECONDS
ATTEMPTS_THAT_PREEMPT = SPELLINGS["words"](attempts._FAILURES_THAT_PREEMPT + 1)
KEPT_DAYS = history_params._USUAL_SECONDS // DAY_SECONDS

STATED = [
    ("agent", f"cgroup counters, version 1 or 2 | every {duration(PERIOD)} |"),
    ("agent", f"five times {RUN_OF_BENCHMARK} at idle moments, while no member runs"),
    (
        "agent",
        f"have the constants A = {owners.PAST}, B = {owners.LAST_HOUR} and C = {owners.FORECAST}.",
    ),
    ("agent", f"After {minutes(LIFETIME)} at most, Lockstep ignores"),
    ("operations/nodes", f"expires](#bids) {minutes(LIFETIME)} (`agent.lifetime`) after"),
    ("runbooks/LockstepBidsExpired", f"does not renew it for {minutes(LIFETIME)}."),
    ("designs/0005-one-leader", f"keeps the fence open for {duration(RENEWAL)}**"),
    ("designs/0005-one-leader", f"may take the lease after {duration(LEASE)} without a renewal"),
    ("architecture", f"take turns, {IN_TURN:g} in each plan"),
    ("for-tenants", f"ten requests in a row, and then {once_in(requests.A_SECOND)}."),
    ("for-tenants", f"three plans in a row, and then {once_in(requests.PLANS_A_SECOND)}."),
    ("for-tenants", f"of the last {KEPT_DAYS} days |"),
    ("guide", f"at most `maxRestarts` times ({FailurePolicy().max_restarts} if absent)"),
    ("guide", f"the time `backoff` ({duration(FailurePolicy().backoff_seconds)} if absent)"),
    ("operations/priorities", f"gangs whose last {ATTEMPTS_THAT_PREEMPT} attempts have failed"),
    ("run-your-job", f"a sidecar container of rank 0, with {OWN_ROOM}."),
    ("run-your-job", f"`lockstep-gate`. It requests {OWN_ROOM},"),
    (
        "run-your-job",
        f"or {span(deal._SILENT_AT_FIRST_SECONDS)} after the last piece was settled",
    ),
    ("run-your-job", f"all pieces are settled. {span(LAST_SECONDS).capitalize()} later, Lockstep stops members"),
    ("what-happens-when", f"{minutes(UNREACHABLE).capitalize()} later (the default of [`--unreachable-after`]"),
    ("what-happens-when", f"takes over after {duration(LEASE)},"),
]
PORTS = {
    "listen": default_of(run, "--listen-port"),
    "secure": default_of(run, "--metrics-listen-port"),
    "debug": default_of(run, "--debug-listen-port"),
}


@pytest.mark.parametrize(("page", "words"), STATED, ids=[f"{page}: {words}" for page, words in STATED])
def test_computed_number_of_a_page_is_that_of_the_code(page, words):
    assert words in text_of(page)


def test_chart_runs_agents_by_the_defaults_of_the_command():
    assert [duration_seconds(VALUES["agent"][name]) for name in ("period", "lifetime")] == [PERIOD, LIFETIME]


def test_ports_of_the_pages_are_those_of_the_commands():
    of_operator = (
        "listens on {listen} (probes, and metrics unless secured), {secure} (secured metrics) and loopback {debug}."
    )
    of_answers = VALUES["tenantAnswers"]["port"]

    assert of_operator.format(**PORTS) in text_of("security")
    assert f"**The server of answers** listens on {of_answers}." in text_of("security")
    assert f"must reach port {of_answers} of the server's pod" in text_of("operations/sharing")
    assert f"`/metrics` is on port {PORTS['secure']} with TLS" in text_of("operations/running")

"""A real Prometheus sees two operators through good times and bad: panels have data, alerts fire and end."""

import itertools
import re
from functools import partial

import pytest

from builders.manifests import bid, gang
from eventually import eventually
from live.electorate import Voter, until_one_leads
from live.prometheus import hastened, is_number, prometheus
from live.proxy import Injected
from live.roles import without_rule
from live.work import steady_work
from observe.dashboard_file import TARGETS, with_variables
from observe.rules_file import ALERTS

GANGS = 80
WINDOWS = {"5m": "8s", "10m": "8s", "15m": "12s", "1h": "12s"}
THRESHOLDS = {"gangPendingBeyondPlanSeconds": 2, "attemptsUndone": 2, "watchStaleSeconds": 5}
# A busy machine must not cost the leader its lease: the one that stands by is needed for later.
PATIENT = ("--leader-elect-lease-duration=20s", "--leader-elect-renew-deadline=16s")
# Nothing that users or the API server do is an error of ours, or keeps a plan from its end. No gang is recorded here,
# the lease lets one lead, nothing fills the machine's memory, and no gang changes its size.
NEVER = {
    "LockstepCycleErrors",
    "LockstepCycleStalled",
    "LockstepRecordsWaiting",
    "LockstepTwoLeaders",
    "LockstepMemoryNearLimit",
    "LockstepSizeChangesDropped",
}

HAPPENED = (
    "Wait until bound",
    "Use of the pool",
    "Requests refused",
    "Decisions by outcome",
    "Attempts torn down by reason",
    "Gangs ended by reason",
    "Bindings by result",
)


@pytest.fixture
def voters(proxy, operator_kubeconfig, tmp_path):
    """Two operators: one that leads, behind a proxy, and one that stands by."""
    leader = Voter(proxy.kubeconfig, tmp_path, *PATIENT)
    until_one_leads([leader])
    voters = [leader, Voter(operator_kubeconfig, tmp_path, *PATIENT)]
    yield voters
    proxy.reset()
    for voter in voters:
        voter.process.end()


@pytest.fixture
def observer(voters, tmp_path):
    """The Prometheus that scrapes them."""
    targets = [voter.process.url.removeprefix("http://") for voter in voters]
    with prometheus(tmp_path, targets, hastened(WINDOWS, THRESHOLDS)) as observer:
        yield observer


def test_dashboard_has_data_and_alerts_fire_and_end(arena, voters, observer, proxy, background):
    for node in arena.add_nodes(12, cpu="8"):
        arena.create(bid(node, slots=8))

    every_query_has_data(observer)
    # While two operators start, a busy machine may let pages wait for seconds, which alerts then report.
    eventually(lambda: alerts_of(observer) == set())
    every_left_side_has_data(observer)

    trouble_with_tokens(arena, observer, proxy)
    trouble_with_rights(arena, observer)
    trouble_with_a_quota(arena, observer)
    trouble_with_an_overrun(arena, observer)
    trouble_with_an_agent(arena, observer)
    both_replicas_have_the_same(observer)
    with steady_work(arena.api, arena.namespace, background):
        trouble_with_a_watch(observer, proxy, background)
        trouble_with_the_leader(voters, observer)
        every_query_has_data(observer)
        panels_show_what_happened(observer)

    assert {rule["health"] for rule in observer.rules()} == {"ok"}
    assert alerts_of(observer, ever=True) == set(ALERTS) - NEVER
    assert observer.query("sum(lockstep_attempts_undone_total{reason='PodLost'})") != []


def trouble_with_tokens(arena, observer, proxy):
    """While the API server refuses every tenth pod for the token, many gangs come and go, and a member is deleted."""
    numbers = itertools.count()
    refused = Injected(401)
    proxy.fault = lambda verb, resource: (
        refused if (verb, resource) == ("POST", "pods") and next(numbers) % 10 == 0 else None
    )
    arena.submit(gang("steady"))
    names = []

    def submit_another():
        names.append(f"g{len(names):03}")
        arena.submit(gang(names[-1], size=(1, 2), run_for="300ms", work={"serialTime": "1s"}))

    for _ in range(GANGS):
        submit_another()
    # On a busy machine, their pods may be there before the alert is read. More gangs come until it fires.
    eventually(lambda: observer.fires("LockstepTokenTrouble") or submit_another())
    until_it_fires(observer, "LockstepTokenTrouble")
    proxy.reset()
    arena.until_placed("steady")
    arena.delete_pod(arena.pods("steady")[0]["metadata"]["name"])
    arena.until_complete(*names, seconds=300)
    until_it_ends(observer, "LockstepTokenTrouble")


def trouble_with_rights(arena, observer):
    """For a while the operator may bind no member."""
    with without_rule(arena.api, "pods/binding"):
        arena.submit(gang("unbound"))
        until_it_fires(observer, "LockstepRightsMissing")
    arena.until_placed("unbound", seconds=300)
    arena.delete_gang("unbound")
    until_it_ends(observer, "LockstepRightsMissing")


def trouble_with_a_quota(arena, observer):
    arena.until_placed("steady")
    arena.limit_pods(1)
    arena.submit(gang("capped"))
    until_it_fires(observer, "LockstepAttemptsUndone", reason="QuotaExceeded")
    arena.raise_limit(10_000)
    arena.until_placed("capped")
    until_it_ends(observer, "LockstepAttemptsUndone", reason="QuotaExceeded")


def trouble_with_an_overrun(arena, observer):
    """A gang that is predicted to run for a second does not end; another one has been promised its nodes."""
    arena.submit(gang("overruns", size=8, cpu="8", work={"serialTime": "8s"}))
    arena.until_placed("overruns")
    arena.submit(gang("promised", size=8, cpu="8", run_for="100ms", work={"serialTime": "8s"}))
    until_it_fires(observer, "LockstepGangPendingTooLong")
    arena.delete_gang("overruns")
    arena.until_complete("promised")
    until_it_ends(observer, "LockstepGangPendingTooLong")


def trouble_with_an_agent(arena, observer):
    """A bid with measured values is not renewed, until it is deleted."""
    [node] = arena.add_nodes(1, cpu="1")
    arena.create(bid(node, dutyCycle="500m", expiresAt="2026-01-01T00:00:00Z"))
    arena.say_measured(node, dutyCycle="500m")
    until_it_fires(observer, "LockstepBidsExpired")
    arena.delete_bid(node)
    until_it_ends(observer, "LockstepBidsExpired")


def trouble_with_a_watch(observer, proxy, background):
    """Pods come and go all the time, and then nothing is heard of them."""
    until_it_ends(observer, "LockstepWatchStale", resource="pods")
    proxy.watch_fault = lambda resource: Injected(503) if resource == "pods" else None
    proxy.witness = lambda asked, _: (asked.verb, asked.resource) != ("GET", "pods")
    background.run(proxy.drop_watches())
    until_it_fires(observer, "LockstepWatchStale", resource="pods")
    proxy.reset()
    until_it_ends(observer, "LockstepWatchStale", resource="pods")


def trouble_with_the_leader(voters, observer):
    leader, other = voters
    leader.process.kill()
    until_it_fires(observer, "LockstepNoLeader")
    until_one_leads([other])
    until_it_ends(observer, "LockstepNoLeader")
    until_it_fires(observer, "LockstepNoStandby")


def both_replicas_have_the_same(observer):
    """So panels may take the greatest."""
    apart = "max by (state) (lockstep_gangs) - min by (state) (lockstep_gangs)"
    eventually(lambda: {sample.value for sample in observer.query(apart)} == {0})


def until_it_fires(observer, alert, **labels):
    """Wait until the alert fires; it then says what a person on call can read."""
    found = eventually(lambda: observer.fires(alert, **labels))
    assert found["labels"]["severity"] in {"critical", "warning"}
    assert not re.search(r"[{}<>]|%!", found["annotations"]["summary"] + found["annotations"]["description"])


def until_it_ends(observer, alert, **labels):
    eventually(lambda: observer.fires(alert, **labels) is None)


def alerts_of(observer, *, ever=False):
    """The alerts that fire, or ever did; quiet watches are a minute old at all times, which is left out here."""
    if ever:
        samples = observer.query('count_over_time(ALERTS{alertstate="firing"}[6h])')
        return {sample.labels["alertname"] for sample in samples}
    return {alert["labels"]["alertname"] for alert in observer.firing()} - {"LockstepWatchStale"}


def every_query_has_data(observer):
    """Every query of the dashboard gives numbers, or nothing where nothing happened, with the labels of its legend."""
    eventually(lambda: observer.query("count_over_time(lockstep_leader[4s]) > 3"))
    for target in TARGETS:
        expression = asked(target)
        samples = observer.query(expression) if target.may_be_empty else eventually(partial(observer.query, expression))
        want_labels = set(re.findall(r"\{\{(\w+)\}\}", target.legend))
        for sample in samples:
            assert is_number(sample), f"{target.panel}: {expression} is {sample.value}"
            assert set(sample.labels) == want_labels, f"{target.panel}: {expression}"
            assert sample.value > 0 or not expression.startswith("round ("), f"{target.panel}: {expression}"


def panels_show_what_happened(observer):
    """Panels that may be empty are not, after all this."""
    for panel in HAPPENED:
        queries = [asked(target) for target in TARGETS if target.panel == panel]
        eventually(partial(any_has_data, observer, queries))


def any_has_data(observer, queries):
    return any(observer.query(one) for one in queries)


def asked(target):
    return with_variables(target.expression, interval="4s", time_range="1h")


def every_left_side_has_data(observer):
    """What alerts compare is there in quiet times too: an alert without data would be quiet for the wrong reason."""
    rules = {rule["name"]: rule["query"] for rule in observer.rules() if rule["type"] == "alerting"}
    assert set(rules) == set(ALERTS)
    for name in set(rules) - {"LockstepTokenTrouble"}:
        left, *_ = re.split(r" (?:== 0|> 1$|> on \(\) group_left)", rules[name])
        samples = eventually(lambda asked=left: observer.query(asked))
        assert all(is_number(sample) for sample in samples), name

"""What the operator says of itself over HTTP."""

import http.client
import json
import urllib.error
from contextlib import closing

import pytest

from builders.manifests import bid, gang
from coschedule import Placement, decode_plan, decode_snapshot, encode_plan, plan
from eventually import eventually
from live.callers import MANY, is_hung_up, silent_callers
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep_demo.operator_process import DIRECT, PAGE_SECONDS

DEBUGGING = "/debug/snapshot, /timeline, /timeline.json"


def test_it_is_alive_and_ready(operator):
    assert operator.page("/healthz") == "ok\n"
    assert operator.page("/readyz") == "ok\n"


@pytest.mark.parametrize(
    ("listener", "path"),
    [
        pytest.param("url", "/secrets", id="a page that there is not"),
        pytest.param("url", "/debug/snapshot", id="a page for debugging, where everybody may ask"),
        pytest.param("url", "/timeline", id="the timeline, where everybody may ask"),
        pytest.param("url", "/timeline.json", id="its pictures, where everybody may ask"),
        pytest.param("debug_url", "/metrics", id="the metrics, where only the operator's own host may ask"),
    ],
)
def test_page_is_not_found(operator, listener, path):
    with pytest.raises(urllib.error.HTTPError, match="404") as caught:
        DIRECT.open(getattr(operator, listener) + path, timeout=PAGE_SECONDS)
    caught.value.close()


@pytest.mark.parametrize("path", DEBUGGING.split(", "))
def test_page_for_debugging_is_refused_under_a_name_that_was_made_to_stand_for_the_loopback(operator, path):
    asking = http.client.HTTPConnection(operator.debug_url.removeprefix("http://"), timeout=PAGE_SECONDS)
    with closing(asking):
        asking.request("GET", path, headers={"Host": "evil.example.com:8081"})
        answer = asking.getresponse()

        assert (answer.status, "ask for it as localhost" in answer.read().decode()) == (403, True)


def test_log_says_where_the_pages_are(operator):
    for url, pages in ((operator.url, "/healthz, /readyz, /metrics"), (operator.debug_url, DEBUGGING)):
        assert f"listening on 127.0.0.1 port {url.rsplit(':', 1)[1]}: {pages}\n" in operator.log_text()


def test_callers_that_send_nothing_keep_no_other_caller_out(operator):
    with silent_callers(operator.url) as callers:
        assert operator.page("/healthz") == "ok\n"

        are_in = [not is_hung_up(caller) for caller in callers]
        assert 0 < sum(are_in) < MANY / 2
        # The caller that had been there longest made way.
        assert are_in == sorted(are_in)


def test_last_decision_replays_to_the_same_plan(operator, arena):
    nodes = arena.add_nodes(3, cpu="2")
    arena.create(bid(nodes[0], dutyCycle="250m", capacity="1.6", slots=1))
    arena.submit(gang("heat", size=(1, 6), work={"serialTime": "1h", "overhead": {"perMember": "30s"}}))
    arena.submit(gang("huge", size=50, work={"serialTime": "1h"}))
    arena.until_placed("heat")
    arena.until("huge", "Placed", "False")

    document = operator.document("/debug/snapshot")

    decided = decode_plan(document["plan"])
    again = plan(decode_snapshot(document["snapshot"]))
    assert [one for one in again.decisions if isinstance(one, Placement)] == [
        one for one in decided.decisions if isinstance(one, Placement)
    ]
    assert "huge" in {decision.gang.name for decision in decided.decisions}
    assert json.loads(json.dumps(encode_plan(again, format_refusal))) == document["plan"]
    assert json.loads(json.dumps(encode_plan(decided, format_refusal))) == document["plan"]


def test_predicted_and_actual_times_are_compared(operator, arena):
    arena.add_nodes(1)
    before = operator.metrics()
    arena.submit(gang("heat", size=2, run_for="3s", work={"serialTime": "2s"}))

    arena.until_complete("heat")

    eventually(lambda: grown(operator, before, "lockstep_run_time_ratio_count") == 1)
    assert grown(operator, before, "lockstep_start_delay_seconds_count") == 1
    # It ran three times as long as predicted, which leaves room for changes that a busy machine sees late.
    assert grown(operator, before, 'lockstep_run_time_ratio_bucket{le="1.25"}') == 0
    assert grown(operator, before, "lockstep_gang_wait_seconds_count") == 1


def test_decisions_and_bindings_are_counted(operator, arena):
    arena.add_nodes(1)
    before = operator.metrics()
    arena.submit(gang("heat", size=3))
    arena.until_placed("heat")
    arena.submit(gang("huge", size=50))
    arena.until("huge", "Placed", "False", "NotEnoughRoom")

    eventually(lambda: grown(operator, before, 'lockstep_decisions_total{outcome="NotEnoughRoom"}') == 1)
    assert grown(operator, before, 'lockstep_decisions_total{outcome="Placed"}') == 1
    assert grown(operator, before, 'lockstep_binds_total{result="bound"}') == 3


def test_gangs_are_counted_by_how_far_they_are(operator, arena):
    arena.add_nodes(1)
    arena.submit(gang("placed"))
    arena.submit(gang("refused", pod={"schedulerName": "another"}))
    arena.submit(gang("done", run_for="300ms"))
    arena.until_complete("done")
    arena.submit(gang("pending", size=50))
    arena.until("pending", "Placed", "False")
    arena.until("refused", "Accepted", "False")

    states = ("placed", "refused", "complete", "pending", "reserved")
    want = dict(zip(states, (1, 1, 1, 1, 0), strict=True))

    def counted():
        metrics = operator.metrics()
        return {state: metrics[f'lockstep_gangs{{state="{state}"}}'] for state in states}

    eventually(lambda: counted() == want)
    eventually(lambda: operator.metrics()["lockstep_assumed_pods"] == 0)


def test_no_cycle_has_failed(operator):
    assert operator.metrics()['lockstep_cycles_total{result="error"}'] == 0


def grown(operator, before, sample):
    """By how much a sample is more than it was; one that was not there yet began at 0."""
    return operator.metrics().get(sample, 0) - before.get(sample, 0)

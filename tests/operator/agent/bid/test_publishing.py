"""When a node's bid is written: on changes, before it expires, never more often; and what trouble changes in that."""

import itertools
import logging
from collections import Counter

import pytest

from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import RawAnswer
from lockstep.agent.bid.offering import Differences
from lockstep.agent.bid.publishing import BidTerms, Publisher
from lockstep.agent.measuring.measured import HourAhead, Measured
from lockstep.api.times import epoch_seconds

PERIOD = 10.0
LIFETIME = 180.0
START = 1_800_000_000.0
PATH = "/apis/lockstep.dev/v1alpha1/nodebids/n1"
TAKEN = RawAnswer(200, {"status": {"measured": {"message": "Idle."}}})


class Bench:
    """A publisher of one node, the requests that it sends by the time at which it does, and the clocks."""

    def __init__(self, node="n1", *, lifetime=LIFETIME):
        self.steady = 0.0
        self.own_step = 0.0
        self.server_says_time = False
        self.answer = lambda _path, _manifest: TAKEN
        self.measured = measured()
        self.sent = []
        self.clock = Clock(steady=lambda: self.steady, own=lambda: START + self.steady + self.own_step)
        differences = Differences(relative=0.1, absolute=0.05)
        self.publisher = Publisher(
            node, self._apply, self.clock, BidTerms(lifetime_seconds=lifetime, differences=differences)
        )

    def run(self, seconds, *, period=PERIOD):
        """Measure once a period for so long."""
        for _ in range(round(seconds / period)):
            self.publisher.update(self.measured)
            self.steady += period

    def bids(self):
        """When the bid was written, and its spec."""
        return [(at, manifest["spec"]) for at, path, manifest in self.sent if path == PATH]

    def reports(self):
        """When the status was written, and what it says was measured."""
        return [(at, manifest["status"]["measured"]) for at, path, manifest in self.sent if path == f"{PATH}/status"]

    def _apply(self, path, manifest):
        self.sent.append((self.steady, path, manifest))
        answer = self.answer(path, manifest)
        return answer._replace(wall=START + self.steady) if self.server_says_time else answer


def measured(**known):
    """What is known of a node: nothing, but for what is said."""
    unknown = dict.fromkeys(Measured.__dataclass_fields__)
    given = {"duty_cycle_is_lower_bound": False, "forecast": (), "since": START, "source": "cgroup v2"}
    return Measured(**{**unknown, **given, "duty_cycle": 0.5, "capacity": 2.0, "owner_present": False, **known})


def offered(spec):
    """What a bid offers, however long."""
    return {name: value for name, value in spec.items() if name != "expiresAt"}


def conflict(*fields):
    """What the API server answers where others keep these fields."""
    causes = [{"reason": "FieldManagerConflict", "message": 'conflict with "kubectl"', "field": one} for one in fields]
    return RawAnswer(409, {"reason": "Conflict", "message": f"conflicts: {fields}", "details": {"causes": causes}})


def test_bid_says_what_was_measured_and_for_how_long():
    bench = Bench()
    bench.measured = measured(forecast=(HourAhead(START, 0.25, 0.1), HourAhead(START + 3600, 1.0, 0.4)))

    bench.run(60)

    [(at, spec)] = bench.bids()
    assert at <= 30
    assert epoch_seconds(spec.pop("expiresAt")) == START + at + LIFETIME
    assert spec == {
        "dutyCycle": "500m",
        "capacity": "2000m",
        "ownerPresent": False,
        "forecast": [
            {"from": "2027-01-15T08:00:00Z", "dutyCycle": "250m", "ownerReturns": "100m"},
            {"from": "2027-01-15T09:00:00Z", "dutyCycle": "1000m", "ownerReturns": "333m"},
        ],
    }


def test_report_says_it_in_a_sentence():
    bench = Bench()
    bench.measured = measured(duty_cycle_is_lower_bound=True, capacity_measured_at=START - 60, processor="EPYC 9")

    bench.run(60)

    [(at, report)] = bench.reports()
    assert epoch_seconds(report.pop("until")) == START + at
    assert report == {
        "dutyCycle": "500m",
        "capacity": "2000m",
        "capacityMeasuredAt": "2027-01-15T07:59:00Z",
        "processor": "EPYC 9",
        "ownerPresent": False,
        "since": "2027-01-15T08:00:00Z",
        "source": "cgroup v2",
        "message": "Local work delays members by at least 0.50 s per second of work, the speed is 2.00 times that of "
        "the reference node, the owner is away.",
    }


def test_node_of_which_nothing_can_be_known_yet_says_so():
    bench = Bench()
    bench.measured = None

    bench.run(60)

    assert [spec.keys() for _, spec in bench.bids()] == [{"expiresAt"}]
    assert [report["message"] for _, report in bench.reports()] == [
        "Nothing is measured yet: the operator has not said which pods here are members of gangs."
    ]


def test_renewals_repeat_the_offer_to_the_letter():
    bench = Bench()
    bench.run(60)

    for step in range(170):
        bench.measured = measured(duty_cycle=0.5 + 0.04 * (step % 2))
        bench.run(20)

    assert {str(offered(spec)) for _, spec in bench.bids()[:-1]} == {str(offered(bench.bids()[0][1]))}


def test_bid_never_expires_and_is_renewed_no_sooner_than_needed():
    bench = Bench()

    bench.run(3000)

    times = [at for at, _ in bench.bids()]
    pauses = [after - before for before, after in itertools.pairwise(times)]
    assert all(0.4 * LIFETIME <= pause <= 0.6 * LIFETIME + PERIOD for pause in pauses)


def test_status_is_written_every_ten_minutes_where_nothing_changes():
    bench = Bench()

    bench.run(3000)

    times = [at for at, _ in bench.reports()]
    assert all(600 <= after - before <= 720 for before, after in itertools.pairwise(times))
    assert len(times) > 3


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"duty_cycle": 0.56}, id="more local work"),
        pytest.param({"duty_cycle": None}, id="local work that can't be seen any more"),
        pytest.param({"capacity": 1.7}, id="another speed"),
        pytest.param({"owner_present": True}, id="the owner is there"),
        pytest.param({"forecast": (HourAhead(START, 0.6, 0.0),)}, id="more local work in an hour"),
        pytest.param({"forecast": (HourAhead(START, 0.5, 0.2),)}, id="the owner is likelier in an hour"),
    ],
)
def test_change_is_written_a_minute_after_the_last_write(change):
    before = {"forecast": (HourAhead(START, 0.5, 0.0),)}
    bench = Bench()
    bench.measured = measured(**before)
    bench.run(40)
    [(first, _)] = bench.bids()

    bench.measured = measured(**{**before, **change})
    bench.run(60)

    _, (second, spec) = bench.bids()
    assert second - first == 60
    assert offered(spec) != offered(bench.bids()[0][1])
    assert bench.reports()[-1][0] == second


@pytest.mark.parametrize("lifetime", [150, LIFETIME, 3600, 86_400])
def test_values_that_jump_all_the_time_are_written_once_a_minute(lifetime):
    bench = Bench(lifetime=lifetime)

    for step in range(360):
        bench.measured = measured(duty_cycle=float(step % 7))
        bench.run(PERIOD)

    times = [at for at, _ in bench.bids()]
    assert {after - before for before, after in itertools.pairwise(times)} <= {60, 70}


@pytest.mark.parametrize("lifetime", [15, 30, 60])
def test_short_bid_is_renewed_as_often_as_it_must_and_says_what_has_changed_by_the_way(lifetime):
    steady, jumping = Bench(lifetime=lifetime), Bench(lifetime=lifetime)

    steady.run(600, period=1)
    for step in range(600):
        jumping.measured = measured(duty_cycle=float(step))
        jumping.run(1, period=1)

    times = [at for at, _ in jumping.bids()]
    assert times == [at for at, _ in steady.bids()]
    assert min(after - before for before, after in itertools.pairwise(times)) >= 0.4 * lifetime
    assert len({spec["dutyCycle"] for _, spec in jumping.bids()}) > 1


def test_change_of_a_bid_for_an_hour_is_written_within_a_minute():
    bench = Bench(lifetime=3600)
    bench.run(1200)
    assert bench.bids()[0][0] <= 30

    bench.measured = measured(owner_present=True)
    bench.run(PERIOD)

    at, spec = bench.bids()[-1]
    assert (at, spec["ownerPresent"]) == (1200, True)


def test_exactly_what_others_keep_is_left_out_and_all_else_is_written():
    bench = Bench()
    hours = (HourAhead(START, 0.25, 0.0), HourAhead(START + 3600, 0.5, 0.0))
    bench.measured = measured(forecast=hours)
    kept = (".spec.dutyCycle", '.spec.forecast[from="2027-01-15T09:00:00Z"].dutyCycle')

    def answer(_path, manifest):
        spec = manifest.get("spec", {})
        return conflict(*kept) if "dutyCycle" in spec or len(spec.get("forecast", ())) == 2 else TAKEN

    bench.answer = answer
    bench.run(300)

    refused, *taken = (spec for _, spec in bench.bids())
    assert {str(offered(spec)) for spec in taken} == {
        str(
            {
                "capacity": "2000m",
                "ownerPresent": False,
                "forecast": [{"from": "2027-01-15T08:00:00Z", "dutyCycle": "250m", "ownerReturns": "0m"}],
            }
        )
    }
    assert refused["dutyCycle"] == "500m"
    assert bench.reports()[0][1]["message"].endswith(
        "Another program has set dutyCycle, forecast: the agent does not change these fields or entries."
    )


def test_what_others_have_given_up_is_written_again_after_an_hour():
    bench = Bench()
    bench.answer = lambda _path, manifest: (
        conflict(".spec.capacity") if "capacity" in manifest.get("spec", {}) else TAKEN
    )
    bench.run(1800)
    bench.answer = lambda _path, _manifest: TAKEN

    bench.run(1700)
    assert "capacity" not in bench.bids()[-1][1]

    bench.run(300)
    assert "capacity" in bench.bids()[-1][1]


def test_bid_that_lost_its_status_gets_it_again():
    bench = Bench()
    bench.run(60)
    bench.answer = lambda _path, _manifest: RawAnswer(201, {})

    bench.run(120)

    assert len(bench.reports()) == 2


@pytest.mark.parametrize("code", [0, 400, 401, 403, 404, 422, 429, 500, 503])
def test_trouble_is_met_with_ever_longer_pauses_and_logged_once(code, caplog):
    caplog.set_level(logging.INFO)
    bench = Bench()
    bench.answer = lambda _path, _manifest: RawAnswer(code, {"message": "no"})

    bench.run(3600)

    times = [at for at, _ in bench.bids()]
    pauses = [after - before for before, after in itertools.pairwise(times)]
    assert pauses[0] <= 2 * PERIOD
    assert 60 <= min(pauses[10:]) <= max(pauses) <= 120 + PERIOD
    assert caplog.messages == ["the bid can't be written: no"]

    bench.answer = lambda _path, _manifest: TAKEN
    bench.run(200)
    assert caplog.messages[1:] == ["this problem is solved: the bid can't be written"]


def test_other_trouble_is_logged_and_other_words_for_the_same_are_not(caplog):
    bench = Bench()
    for code, message in ((0, "reset"), (0, "end of file"), (403, "no"), (0, "reset")):
        bench.answer = lambda _path, _manifest, code=code, message=message: RawAnswer(code, {"message": message})
        bench.run(300)

    assert caplog.messages == [f"the bid can't be written: {message}" for message in ("reset", "no", "reset")]


def test_server_that_asks_for_a_pause_gets_it_within_reason():
    bench = Bench()
    bench.answer = lambda _path, _manifest: RawAnswer(429, {}, pause=1e9)

    bench.run(3600)

    times = [at for at, _ in bench.bids()]
    assert {after - before for before, after in itertools.pairwise(times)} == {300.0}


def test_status_that_is_refused_does_not_cost_the_bid(caplog):
    bench = Bench()
    bench.answer = lambda path, _manifest: RawAnswer(403, {"message": "no"}) if path.endswith("/status") else TAKEN

    bench.run(600)

    assert len(bench.bids()) > 4
    assert caplog.messages == ["the status of the bid can't be written: no"]


@pytest.mark.parametrize("step", [-1e9, -7200, 7200, 1e9])
def test_bid_expires_by_the_servers_clock(step):
    bench = Bench()
    bench.server_says_time = True
    bench.own_step = step

    bench.run(600)

    assert [epoch_seconds(spec["expiresAt"]) for _, spec in bench.bids()[1:]] == [
        START + at + LIFETIME for at, _ in bench.bids()[1:]
    ]


def test_thousands_of_nodes_never_write_at_once():
    times = Counter()
    for number in range(2000):
        bench = Bench(f"n{number}")
        for _ in range(400):
            bench.publisher.update(bench.measured)
            bench.steady += 1.0
        times.update(at for at, path, _ in bench.sent if not path.endswith("/status"))

    # Each writes every 90 s in the mean; in the beginning all within half a minute.
    assert max(times.values()) < 2000 / 30 * 2
    assert max(count for at, count in times.items() if at > 200) < 2000 / 90 * 3

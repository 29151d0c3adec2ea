"""What the demo is made of, where a whole run would not tell: news, names of nodes, bids, the summary."""

import datetime as dt
import io

from rich.console import Console

from sandbox.demo.bids import Offer, bid_manifests, offers
from sandbox.demo.news import news
from sandbox.demo.sight import NOT_YET, Condition, GangSight, PodCounts, Sight
from sandbox.demo.summary import metrics_table
from sandbox.demo.tables import short_names

PAGE = """\
# TYPE lockstep_binds_total counter
lockstep_binds_total{result="bound"} 8.0
lockstep_binds_total{result="refused"} 2.0
# TYPE lockstep_run_time_ratio histogram
lockstep_run_time_ratio_bucket{le="+Inf"} 4.0
lockstep_run_time_ratio_count 4.0
lockstep_run_time_ratio_sum 4.4
"""


def gang(*, planned=NOT_YET, complete=NOT_YET, size=None, start=None, nodes=(), pods=(0, 0, 0)):
    bound, running, finished = pods
    return GangSight(
        name="heat",
        minimum=1,
        maximum=4,
        size=size,
        nodes=nodes,
        start=start,
        planned=planned,
        complete=complete,
        pods=PodCounts(bound=bound, running=running, finished=finished),
    )


def planned(status="True", reason="StartsLater", message="2 members on n01, n02."):
    return Condition(status=status, reason=reason, message=message)


def told(before, after):
    return [line for _, line in news(Sight(gangs=before, occupants={}), Sight(gangs=(after,), occupants={}))]


def test_gang_that_has_no_status_yet_is_no_news():
    assert told((), gang()) == []


def test_plan_is_told_once_while_its_start_moves_by_a_rounding():
    first = gang(planned=planned(), size=2, start=100.0, nodes=("n01", "n02"))
    rounded = gang(planned=planned(message="Other words."), size=2, start=101.0, nodes=("n01", "n02"))
    moved = gang(planned=planned(message="Later."), size=2, start=104.0, nodes=("n01", "n02"))

    assert told((), first) == ["2 members on n01, n02."]
    assert told((first,), rounded) == []
    assert told((first,), moved) == ["Later."]


def test_refusal_is_told_once_while_its_numbers_move():
    refused = gang(planned=planned("False", "NotEnoughRoom", "Needs 4 members, 2 fit."))
    less = gang(planned=planned("False", "WindowTooShort", "Needs 4 members, 3 fit."))

    assert told((), refused) == ["Cannot be placed. Needs 4 members, 2 fit."]
    assert told((refused,), less) == []
    assert told((less,), gang(planned=planned(), size=2)) == ["2 members on n01, n02."]


def test_pods_are_told_when_all_are_so_far():
    plan = {"planned": planned(), "size": 2, "start": 100.0}
    none, one, bound, running = (gang(**plan, pods=pods) for pods in [(0, 0, 0), (1, 0, 0), (2, 1, 0), (2, 2, 0)])

    assert told((none,), one) == []
    assert told((one,), bound) == ["2 of 2 pods are bound."]
    assert told((bound,), running) == ["2 of 2 pods run."]
    assert told((none,), running) == ["2 of 2 pods are bound and run."]


def test_runs_of_three_and_more_nodes_are_drawn_together():
    assert short_names(["n12", "n01", "n02", "n05", "n06", "n07"]) == "n01 n02 n05…n07 n12"


def test_times_in_bids_are_whole_seconds_and_never_early():
    manifests = bid_manifests(dt.datetime(2026, 1, 1, 12, 0, 0, 999_999, tzinfo=dt.UTC))

    specs = {manifest["metadata"]["name"]: manifest["spec"] for manifest in manifests}
    assert specs["n11"]["availableFrom"] == "2026-01-01T12:00:41Z"
    assert specs["n12"]["availableUntil"] == "2026-01-01T12:00:31Z"
    assert [spec for spec in specs.values() if "availableFrom" in spec] == [specs["n11"]]
    assert len({spec["capacity"] for spec in specs.values()}) == 3


def test_offers_show_loads_in_per_cent():
    shown = {offer.node: offer for offer in offers(bid_manifests(dt.datetime.now(dt.UTC)))}

    assert shown["n02"] == Offer(node="n02", speed="1", load_percent=50)
    assert shown["n01"].load_percent == 0


def test_summary_shows_means_and_counts_and_what_was_never_measured():
    console = Console(width=100, file=io.StringIO())
    console.print(metrics_table(PAGE))

    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in console.file.getvalue().splitlines()[2:]}
    assert rows["lockstep_run_time_ratio"] == "1.10 of the predicted run time; mean of 4 gangs"
    assert rows["lockstep_binds_total"] == "10 8 bound, 2 refused"
    assert rows["lockstep_start_delay_seconds"] == "- nothing measured"

"""Row: how it decides."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, graph
from charts.make.dashboard.queries import leaders, mean, quantile
from grafana_foundation_sdk.models.units import NoUnit, Seconds


def how_it_decides() -> list[Panel]:
    """Sizes, times and speed-ups that were chosen and predicted, and what came of them."""
    return [*_predictions(), *_sizes()]


def _predictions() -> list[Panel]:
    ratio = "lockstep_run_time_ratio"
    return [
        graph(
            "Run time: predicted and actual",
            "Mean run time of gangs that succeeded at that time. If actual is above predicted, users "
            "underestimate their work, or bids do not show all load.",
            Query(mean("lockstep_run_time_predicted_seconds"), "predicted"),
            Query(mean("lockstep_run_time_seconds"), "actual"),
            unit=Seconds,
        ),
        graph(
            "Run time ÷ prediction",
            "Run time divided by its prediction. Near 1, predictions are good. Well above 1, gangs run longer "
            "than planned, and later gangs start late. Well below 1, plans keep nodes for longer than gangs use "
            "them.",
            Query(quantile(0.1, ratio), "10 %"),
            Query(quantile(0.5, ratio), "median"),
            Query(quantile(0.9, ratio), "90 %"),
            unit=NoUnit,
        ),
        graph(
            "Speed-up: predicted and reached",
            "Mean speed-up of gangs that succeeded, compared with one member on an idle reference node. If "
            "reached is below predicted, the work divides worse than its spec states.",
            Query(mean("lockstep_speedup_predicted_ratio"), "predicted"),
            Query(mean("lockstep_speedup_ratio"), "reached"),
            unit=NoUnit,
        ),
    ]


def _sizes() -> list[Panel]:
    return [
        graph(
            "Size chosen and allowed",
            "Mean size of gangs placed at that time, beside the smallest and largest size that their specs allow. "
            "If gangs always get the smallest size, the cluster lacks nodes. If they always get the largest size, "
            "they could use more members.",
            Query(mean("lockstep_gang_size_min_members"), "least allowed"),
            Query(mean("lockstep_gang_size_members"), "chosen"),
            Query(mean("lockstep_gang_size_max_members"), "most allowed"),
            unit="short",
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Price of a member-second",
            "Price of one second of a member in the last plan, in seconds of delay for other gangs. The price "
            "rises with the number of gangs. At a higher price, gangs get fewer members. The price is 0 if the "
            "sizing is not Balanced.",
            Query(leaders("lockstep_member_price_seconds"), "seconds"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
    ]

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
            "Means of gangs that succeeded in that moment. Actual above predicted: owners "
            "underestimate their work, or bids miss load.",
            Query(mean("lockstep_run_time_predicted_seconds"), "predicted"),
            Query(mean("lockstep_run_time_seconds"), "actual"),
            unit=Seconds,
        ),
        graph(
            "Run time ÷ prediction",
            "Near 1 predictions are good. Well above 1 gangs overrun and those behind "
            "start late; well below 1 nodes are promised for longer than they are used.",
            Query(quantile(0.1, ratio), "10 %"),
            Query(quantile(0.5, ratio), "median"),
            Query(quantile(0.9, ratio), "90 %"),
            unit=NoUnit,
        ),
        graph(
            "Speed-up: predicted and reached",
            "How much faster than one member on an idle reference node: means of gangs that succeeded. "
            "Reached below predicted: work divides worse than its owner says.",
            Query(mean("lockstep_speedup_predicted_ratio"), "predicted"),
            Query(mean("lockstep_speedup_ratio"), "reached"),
            unit=NoUnit,
        ),
    ]


def _sizes() -> list[Panel]:
    return [
        graph(
            "Size chosen and allowed",
            "Mean members of gangs placed in that moment, beside the least and the most that their specs "
            "allow. Always at the least: nodes are short. Always at the most: gangs could use more.",
            Query(mean("lockstep_gang_size_min_members"), "least allowed"),
            Query(mean("lockstep_gang_size_members"), "chosen"),
            Query(mean("lockstep_gang_size_max_members"), "most allowed"),
            unit="short",
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Price of a member-second",
            "What a second of one member was taken to cost other gangs, in the last plan. It rises with the gangs that "
            "wait and run: the higher it is, the fewer members gangs get. 0 where sizing is not Balanced.",
            Query(leaders("lockstep_member_price_seconds"), "seconds"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
    ]

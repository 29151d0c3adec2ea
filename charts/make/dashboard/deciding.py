"""Row: how it decides."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, graph, stacked
from charts.make.dashboard.queries import leaders, mean, quantile
from grafana_foundation_sdk.models.units import NoUnit, Seconds


def how_it_decides() -> list[Panel]:
    """Sizes, times and speed-ups that were chosen and predicted, and what came of them; what is left."""
    return [*_predictions(), *_sizes(), *_what_is_left()]


def _predictions() -> list[Panel]:
    ratio = "lockstep_run_time_ratio"
    return [
        graph(
            "Run time: predicted and actual",
            "Means of gangs that succeeded in that moment; 0 where none did. Actual above predicted: owners "
            "underestimate their work, or bids miss load.",
            Query(mean("lockstep_run_time_predicted_seconds"), "predicted"),
            Query(mean("lockstep_run_time_seconds"), "actual"),
            unit=Seconds,
        ),
        graph(
            "Run time ÷ prediction",
            "Near 1 predictions are good; 0 where no gang succeeded. Well above 1 gangs overrun and those behind "
            "start late; well below 1 nodes are promised for longer than they are used.",
            Query(quantile(0.1, ratio), "10 %"),
            Query(quantile(0.5, ratio), "median"),
            Query(quantile(0.9, ratio), "90 %"),
            unit=NoUnit,
        ),
        graph(
            "Speed-up: predicted and reached",
            "How much faster than one member on an idle reference node: means of gangs that succeeded; 0 where none "
            "did. Reached below predicted: work divides worse than its owner says.",
            Query(mean("lockstep_speedup_predicted_ratio"), "predicted"),
            Query(mean("lockstep_speedup_ratio"), "reached"),
            unit=NoUnit,
        ),
    ]


def _sizes() -> list[Panel]:
    return [
        graph(
            "Size chosen and allowed",
            "Mean members of gangs placed in that moment, beside the least and the most that their specs allow; 0 "
            "where none was. Always at the least: nodes are short. Always at the most: gangs could use more.",
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


def _what_is_left() -> list[Panel]:
    return [
        stacked(
            graph(
                "Nodes by state",
                "In use: they have members. Promised: a gang starts there later, or holds them. Closed: cordoned, not "
                "ready or not offered now. Free nodes beside waiting gangs: look at why those wait.",
                Query(leaders("lockstep_nodes", by="state"), "{{state}}"),
                unit="short",
            )
        ),
        stacked(
            graph(
                "Slots by state",
                "Members on nodes, members promised for later, and room for more on nodes whose bids limit members. "
                "No free slots beside a growing queue: offer more nodes, or more slots.",
                Query(leaders("lockstep_slots", by="state"), "{{state}}"),
                unit="short",
            )
        ),
        stacked(
            graph(
                "Cores by state",
                "Cores of the pool's nodes that members request, that are promised, that other pods request, and what "
                "is left on open and on closed nodes. Much of others beside waiting gangs: the pool is not theirs.",
                Query(leaders("lockstep_cores", by="state"), "{{state}}"),
                unit="short",
            )
        ),
    ]

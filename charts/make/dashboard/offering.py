"""Row: what nodes offer."""

from charts.make.dashboard.panels import Panel, Query, graph, stacked
from charts.make.dashboard.queries import believed
from grafana_foundation_sdk.models.units import NoUnit, Seconds


def what_nodes_offer() -> list[Panel]:
    """The bids that agents and people write, and how well agents foretell."""
    return [
        stacked(
            graph(
                "Bids",
                "NodeBids of agents by what members find there, and those of people. Expired: agents that do not "
                "report, whose nodes count as idle. All at once: agents lack rights, or the API server was away.",
                Query(believed("lockstep_bids", by="state"), "{{state}}"),
                unit="short",
            )
        ),
        graph(
            "Duty cycle: measured and foretold",
            "Means over the nodes whose agents had foretold this hour; off by: the mean difference of a node. Far off "
            "for days: owners live by another rhythm than before.",
            Query(believed("lockstep_bid_duty_cycle", by="source"), "{{source}}"),
            Query(believed("lockstep_bid_forecast_error"), "off by"),
            unit=NoUnit,
        ),
        graph(
            "Oldest report of an agent",
            "Agents report every twelve minutes at least. More: one renews its bid, but may not write its status.",
            Query(believed("lockstep_oldest_bid_report_seconds"), "oldest"),
            unit=Seconds,
        ),
    ]

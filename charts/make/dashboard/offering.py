"""Row: what nodes offer."""

from charts.make.dashboard.panels import NARROW_COLUMNS, WIDE_COLUMNS, Panel, Query, graph, stacked
from charts.make.dashboard.queries import believed
from grafana_foundation_sdk.models.units import NoUnit, Seconds


def what_nodes_offer() -> list[Panel]:
    """The bids that agents and people write, and how well agents forecast."""
    return [
        stacked(
            graph(
                "Bids",
                "Number of NodeBids. by_hand: bids that people write. Other states: bids of agents, by what the "
                "node offers. expired: the agent does not renew the bid, so the node counts as idle. If all bids "
                "expire at once, agents lack rights, or the API server was unreachable.",
                Query(believed("lockstep_bids", by="state"), "{{state}}"),
                unit="short",
                columns=NARROW_COLUMNS,
            )
        ),
        graph(
            "Duty cycle: measured and forecast",
            "Mean duty cycle (load by the owner) of nodes whose agents made a forecast for this hour. off by: "
            "mean difference between forecast and measurement of a node. If it stays large for days, owners have "
            "changed their habits.",
            Query(believed("lockstep_bid_duty_cycle", by="source"), "{{source}}"),
            Query(believed("lockstep_bid_forecast_error"), "off by"),
            unit=NoUnit,
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Owners: measured and forecast",
            "Nodes whose owner was away before this hour. measured: share of them where the owner is present now. "
            "forecast: mean probability that agents forecast. If forecasts are too low for days, owners interrupt "
            "gangs unexpectedly. If they are too high, plans avoid nodes without need.",
            Query(believed("lockstep_bid_owner_present", by="source"), "{{source}}"),
            unit=NoUnit,
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Oldest report of an agent",
            "Age of the oldest report of an agent. Agents report at least every 12 minutes. If the age is higher, "
            "an agent lacks the right to write the status of its bid.",
            Query(believed("lockstep_oldest_bid_report_seconds"), "oldest"),
            unit=Seconds,
            columns=NARROW_COLUMNS,
        ),
        *_speeds(),
    ]


def _speeds() -> list[Panel]:
    """How fast the nodes are together, and how unlike."""
    return [
        graph(
            "Speed of the pool",
            "Sum of the speeds of all nodes by their bids; the fastest node counts 1. If it falls while the "
            "number of nodes stays, a much faster node has come, or nodes have become slower.",
            Query(believed("lockstep_pool_power"), "power"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Heterogeneity of the pool",
            "Mean share by which nodes are slower than the fastest node. Far above 0, gangs with load Equal are "
            "as slow as their slowest member. Gangs with load Proportional or Pieces use fast nodes better.",
            Query(believed("lockstep_pool_heterogeneity"), "heterogeneity"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
    ]

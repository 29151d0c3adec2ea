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
                "NodeBids of agents by what members find there, and those of people. Expired: agents that do not "
                "report, whose nodes count as idle. All at once: agents lack rights, or the API server was away.",
                Query(believed("lockstep_bids", by="state"), "{{state}}"),
                unit="short",
                columns=NARROW_COLUMNS,
            )
        ),
        graph(
            "Duty cycle: measured and forecast",
            "Means over the nodes whose agents had forecast this hour before it began; off by: the mean difference of "
            "a node. Far off for days: owners live by another rhythm than before.",
            Query(believed("lockstep_bid_duty_cycle", by="source"), "{{source}}"),
            Query(believed("lockstep_bid_forecast_error"), "off by"),
            unit=NoUnit,
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Owners: measured and forecast",
            "Of the nodes whose owner was away before this hour: at what part of them the owner is now, and the mean "
            "probability that agents had forecast. Forecasts are far less for days: gangs are lost to owners that no "
            "plan expected; far more: nodes are avoided for nothing.",
            Query(believed("lockstep_bid_owner_present", by="source"), "{{source}}"),
            unit=NoUnit,
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Oldest report of an agent",
            "Agents report every twelve minutes at least. More: one renews its bid, but may not write its status.",
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
            "How many nodes as fast as the fastest one all nodes are worth, by their bids. It falls while the number "
            "of nodes stays: a much faster node has come, or bids say that others have become slower.",
            Query(believed("lockstep_pool_power"), "power"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Heterogeneity of the pool",
            "By what part nodes are slower than the fastest one on average. Far above 0: gangs with load Equal are as "
            "slow as their slowest member; load Proportional or Pieces uses the faster nodes too.",
            Query(believed("lockstep_pool_heterogeneity"), "heterogeneity"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
    ]

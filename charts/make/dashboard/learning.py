"""Row: what it has learned."""

from charts.make.dashboard.panels import NARROW_COLUMNS, Panel, Query, counts, graph
from charts.make.dashboard.queries import happened, leaders, quantile
from grafana_foundation_sdk.models.units import NoUnit


def what_it_has_learned() -> list[Panel]:
    """What finished runs show of run times, and how well that predicts later ones."""
    return [*_memory(), *_runs()]


def _memory() -> list[Panel]:
    return [
        graph(
            "Templates with known run times",
            "From its third run on, a template's gangs are planned with what its runs took; where they want it, by "
            "a law, and by kinds of nodes. Few beside many gangs that succeed: their templates differ.",
            Query(leaders("lockstep_run_time_templates"), "templates"),
            Query(leaders("lockstep_learned_laws"), "by a law"),
            Query(leaders("lockstep_learned_kinds"), "by kinds of nodes"),
            unit="short",
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Runs remembered",
            "Of all templates together, 20,000 at most. At that number tenants with many templates forget some: those "
            "are planned as stated again.",
            Query(leaders("lockstep_remembered_runs"), "runs"),
            unit="short",
            columns=NARROW_COLUMNS,
        ),
    ]


def _runs() -> list[Panel]:
    error = "lockstep_learned_run_time_error_ratio"
    return [
        counts(
            "Runs finished and forgotten",
            "Runs that ended well, in the time shown. Most not comparable: gangs rarely succeed in their first "
            "attempt, or take less than 10 s. Forgotten: 50 runs of a template are enough, so some are usual.",
            Query(happened("lockstep_finished_runs_total", by="result"), "{{result}}"),
            Query(happened("lockstep_dropped_runs_total"), "forgotten"),
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Missed by: learned and stated",
            "By how much runs were missed that were planned with something learned, by that and by what their owners "
            "state: medians. Learned above stated for long: runs of a template are not alike.",
            Query(quantile(0.5, error, 'source="learned"'), "learned"),
            Query(quantile(0.5, error, 'source="stated"'), "stated"),
            unit=NoUnit,
            columns=NARROW_COLUMNS,
        ),
    ]

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
            "Number of templates with remembered runs. From the third run on, plans use the past run times. by a "
            "formula: plans use a learned formula for the run time at each size. by kinds of nodes: plans use learned "
            "speeds of kinds of nodes. If the numbers stay low while many gangs succeed, most gangs have different "
            "templates.",
            Query(leaders("lockstep_run_time_templates"), "templates"),
            Query(leaders("lockstep_learned_laws"), "by a formula"),
            Query(leaders("lockstep_learned_kinds"), "by kinds of nodes"),
            unit="short",
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Runs remembered",
            "Number of remembered runs of all templates, 20,000 at most. At this number, Lockstep forgets "
            "templates of tenants with many templates. Plans for these templates use the stated run times again.",
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
            "Number of runs that succeeded, in the time shown. Runs with several attempts, or of less than 10 s, "
            "are not comparable. forgotten: old runs that Lockstep removed, since it keeps the last 50 runs of a "
            "template.",
            Query(happened("lockstep_finished_runs_total", by="result"), "{{result}}"),
            Query(happened("lockstep_dropped_runs_total"), "forgotten"),
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Run time error: learned, stated",
            "Median relative error of learned run times and of stated run times, for the same runs. If learned "
            "stays above stated, the runs of a template differ too much.",
            Query(quantile(0.5, error, 'source="learned"'), "learned"),
            Query(quantile(0.5, error, 'source="stated"'), "stated"),
            unit=NoUnit,
            columns=NARROW_COLUMNS,
        ),
    ]

"""What can be chosen above the panels: the data source, then the processes."""

from charts.make.dashboard.panels import SOURCE
from grafana_foundation_sdk.builders.dashboard import DatasourceVariable, QueryVariable
from grafana_foundation_sdk.models.dashboard import (
    VariableOption,
    VariableRefresh,
    VariableSort,
)

_ALL = VariableOption(selected=True, text="All", value="$__all")


def source_variable() -> DatasourceVariable:
    """Which Prometheus is asked."""
    return DatasourceVariable("datasource").label("Data source").type("prometheus")


def process_variables() -> list[QueryVariable]:
    """Which processes are shown, each choice narrowed by those before it."""
    return [
        _chosen("cluster", ""),
        _chosen("namespace", 'cluster=~"$cluster"'),
        _chosen("job", 'cluster=~"$cluster", namespace=~"$namespace"'),
        _chosen("instance", 'cluster=~"$cluster", namespace=~"$namespace", job=~"$job"'),
    ]


def _chosen(label: str, among: str) -> QueryVariable:
    metric = f"lockstep_build_info{{{among}}}" if among else "lockstep_build_info"
    return (
        QueryVariable(label)
        .label(label.capitalize())
        .datasource(SOURCE)
        .query(f"label_values({metric}, {label})")
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
        .multi(True)  # noqa: FBT003 - the builder's own way
        .include_all(True)  # noqa: FBT003 - the builder's own way
        # Matches also where there is no such label.
        .all_value(".*")
        .current(_ALL)
    )

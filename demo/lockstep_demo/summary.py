"""Shows the operator's most important metrics, which it serves on its page."""

import http.client
from urllib.error import HTTPError

from prometheus_client.parser import text_string_to_metric_families
from rich.table import Table

from lockstep_demo.operator_process import OperatorProcess
from sandbox import SandboxError

# The value of each sample, by its name and the values of its labels.
Samples = dict[tuple[str, str], float]


def metrics_page(operator: OperatorProcess) -> str:
    """Return the content of the page /metrics. Raises SandboxError if the operator does not answer with it."""
    try:
        return operator.page("/metrics")
    except HTTPError as error:
        raise SandboxError(f"The operator answered {error.code} when it was asked for its metrics.") from error
    except (OSError, http.client.HTTPException) as error:
        raise SandboxError(f"The operator does not answer when it is asked for its metrics: {error}.") from error


def metrics_table(page: str) -> Table:
    """Return a table with one row per metric. ``page`` is the content of the page /metrics."""
    samples = _samples(page)
    table = Table(box=None, padding=(0, 2, 0, 0), title="The operator's own metrics", title_justify="left")
    table.title_style = table.header_style = "bold"
    table.add_column("metric", no_wrap=True)
    table.add_column("value", no_wrap=True, justify="right")
    table.add_column("meaning")
    for name, scale, unit, meaning in (
        ("lockstep_start_delay_seconds", 1, "{:.1f} s", "delay after the first planned start"),
        ("lockstep_run_time_ratio", 1, "{:.2f}", "run time divided by its prediction"),
        ("lockstep_gang_wait_seconds", 1, "{:.1f} s", "time from submission until all pods are bound"),
    ):
        table.add_row(name, *_mean(samples, name, "", scale, unit, f"{meaning}; mean of {{}} gangs"))
    plans = _mean(
        samples, "lockstep_cycle_duration_seconds", "plan", 1000, "{:.1f} ms", "time of a plan; mean of {} plans"
    )
    table.add_row("lockstep_cycle_duration_seconds", *plans)
    for name in ("lockstep_decisions_total", "lockstep_binds_total"):
        table.add_row(name, *_counts(samples, name))
    return table


def _samples(page: str) -> Samples:
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def _mean(samples: Samples, name: str, label: str, scale: float, unit: str, meaning: str) -> tuple[str, str]:
    count = int(samples.get((f"{name}_count", label), 0))
    if not count:
        return "-", "nothing measured"
    return unit.format(scale * samples[f"{name}_sum", label] / count), meaning.format(count)


def _counts(samples: Samples, name: str) -> tuple[str, str]:
    counts = {label: int(value) for (found, label), value in samples.items() if found == name and value}
    parts = [f"{count} {label}" for label, count in sorted(counts.items(), key=lambda one: -one[1])]
    return str(sum(counts.values())), ", ".join(parts)

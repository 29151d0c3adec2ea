"""The numbers that end the demo."""

import io

from rich.console import Console

from lockstep_demo.summary import metrics_table

PAGE = """\
# TYPE lockstep_binds_total counter
lockstep_binds_total{result="bound"} 8.0
lockstep_binds_total{result="refused"} 2.0
# TYPE lockstep_run_time_ratio histogram
lockstep_run_time_ratio_bucket{le="+Inf"} 4.0
lockstep_run_time_ratio_count 4.0
lockstep_run_time_ratio_sum 4.4
"""


def test_summary_shows_means_and_counts_and_what_was_never_measured():
    console = Console(width=100, file=io.StringIO())
    console.print(metrics_table(PAGE))

    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in console.file.getvalue().splitlines()[2:]}
    assert rows["lockstep_run_time_ratio"] == "1.10 run time divided by its prediction; mean of 4 gangs"
    assert rows["lockstep_binds_total"] == "10 8 bound, 2 refused"
    assert rows["lockstep_start_delay_seconds"] == "- nothing measured"

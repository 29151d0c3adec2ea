"""The dashboard is what the code makes of it, keeps the rules of Grafana, and asks for metrics that are there."""

import re
import subprocess
import sys

import pytest

from docs.markdown import ROOT
from observe.dashboard_file import DOCUMENT, IN_VIEW, PANELS, ROWS, TARGETS, with_variables
from observe.rules_file import metrics_in, served_metrics
from words import SAY_INSTEAD

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# A panel spans some of 24 columns; on a screen of 1280 pixels a column has about 51, and a letter of a title about 7.5.
COLUMNS, COLUMN_PIXELS, LETTER_PIXELS, TITLE_MARGIN_PIXELS = 24, 51, 7.5, 48
UNITS = {"s", "ops", "short", "none", "bytes", "percentunit"}
PANEL_IDS = [f"{panel['title']} at {panel['id']}" for panel in PANELS]
# What goes on all the time, and so has a rate.
CONTINUOUS = {"Cycles by result", "Requests by resource", "Requests by answer", "CPU"}
every_panel = pytest.mark.parametrize("panel", PANELS, ids=PANEL_IDS)


def title_of(panel):
    return panel["title"]


def test_file_is_as_make_generate_would_write_it():
    command = [sys.executable, "-m", "charts.make.dashboard", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_it_is_named_and_tagged_as_people_search_for_it():
    assert DOCUMENT["id"] is None
    assert DOCUMENT["uid"] == "lockstep-overview"
    assert DOCUMENT["title"] == "Lockstep / Overview"
    assert DOCUMENT["tags"] == ["lockstep"]
    assert (DOCUMENT["version"], DOCUMENT["editable"], DOCUMENT["refresh"]) == (1, False, "30s")
    assert DOCUMENT["time"] == {"from": "now-1h", "to": "now"}
    assert DOCUMENT["graphTooltip"] == 1
    assert "style" not in DOCUMENT, "the viewer's theme is the one to use"


def test_variables_narrow_each_other_down_from_the_data_source_to_the_process():
    variables = DOCUMENT["templating"]["list"]

    assert [one["name"] for one in variables] == ["datasource", "cluster", "namespace", "job", "instance"]
    assert (variables[0]["type"], variables[0]["query"]) == ("datasource", "prometheus")
    for one in variables[1:]:
        assert re.fullmatch(rf"label_values\(lockstep_build_info.*, {one['name']}\)", one["query"])
        assert one["datasource"] == SOURCE
        assert one["allValue"] == ".*"
        assert one["hide"] == 0, "clusters are a choice, too"


def test_twelve_panels_are_in_view_and_the_others_in_closed_rows():
    assert len(IN_VIEW) == 12
    assert DOCUMENT["panels"] == [*IN_VIEW, *ROWS]
    assert all(row["collapsed"] and row["panels"] for row in ROWS)


def test_rows_answer_questions_in_the_order_in_which_they_are_asked():
    assert [row["title"] for row in ROWS] == [
        "Is it healthy?",
        "What users feel",
        "What is left?",
        "Who uses what?",
        "How it decides",
        "Does it keep its word?",
        "What has it learned?",
        "What nodes offer",
        "How it works",
        "Resources",
    ]


def test_panels_have_ids_of_their_own():
    ids = [panel["id"] for panel in (*ROWS, *PANELS)]

    assert sorted(ids) == list(range(1, len(ids) + 1))


@pytest.mark.parametrize("group", [IN_VIEW, *(row["panels"] for row in ROWS)], ids=["in view", *map(title_of, ROWS)])
def test_no_two_panels_overlap_and_every_line_is_full(group):
    taken = set()
    for panel in group:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
    top, bottom = min(y for _, y in taken), max(y for _, y in taken) + 1

    assert taken == {(x, y) for x in range(COLUMNS) for y in range(top, bottom)}


def test_rows_stand_below_what_is_in_view_line_by_line_with_their_panels_right_below():
    bottom = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in IN_VIEW)

    assert [row["gridPos"]["y"] for row in ROWS] == list(range(bottom, bottom + len(ROWS)))
    for row in ROWS:
        assert row["panels"][0]["gridPos"]["y"] == row["gridPos"]["y"] + 1


@every_panel
def test_words_of_a_panel_are_plain(panel):
    text = " ".join([panel["title"], panel["description"], *(one["legendFormat"] for one in panel["targets"])])

    assert not set(re.findall(r"[a-z]+", text.lower())) & set(SAY_INSTEAD)


@every_panel
def test_what_happens_now_and_then_is_counted_over_the_chosen_time(panel):
    for target in panel["targets"]:
        assert target["instant"] == (panel["type"] == "bargauge")
        assert ("$__range" in target["expr"]) == (panel["type"] == "bargauge" or panel["title"] == "Errors in range")
        # Histograms have rates too, but show times and ratios.
        rises = "rate(" in target["expr"] or "rate (" in target["expr"]
        is_histogram = re.search(r"_(bucket|sum|count)\{", target["expr"])
        assert (rises and not is_histogram) == (panel["title"] in CONTINUOUS)


@every_panel
def test_panel_without_data_says_so_and_makes_no_zero_of_it(panel):
    assert panel["fieldConfig"]["defaults"]["noValue"] == "none in this range"
    for target in panel["targets"]:
        assert "vector(0)" not in target["expr"]
        assert "0 *" not in target["expr"]
        # The series of all other namespaces or priorities is always there.
        if re.search(r"increase\(|by \((gang_namespace|priority)\)", target["expr"]):
            assert target["expr"].endswith(" > 0")


@every_panel
def test_title_is_short_enough_for_its_panel(panel):
    pixels = panel["gridPos"]["w"] * COLUMN_PIXELS - TITLE_MARGIN_PIXELS

    assert len(panel["title"]) * LETTER_PIXELS <= pixels


@every_panel
def test_panel_says_its_unit_and_what_is_bad_and_asks_the_chosen_source(panel):
    assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
    assert re.fullmatch(r"[A-Z0-9].{60,}\.", panel["description"])
    assert panel["datasource"] == SOURCE
    assert panel["targets"]
    for target in panel["targets"]:
        assert target["datasource"] == SOURCE
        assert target["legendFormat"]
    assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])


@every_panel
def test_panel_has_no_colour_of_one_theme(panel):
    steps = panel["fieldConfig"]["defaults"].get("thresholds", {"steps": []})["steps"]

    assert {step["color"] for step in steps} <= {"green", "orange", "red"}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: f"{target.panel}: {target.legend}")
def test_query_asks_for_metrics_that_are_served_of_the_processes_chosen_over_no_fixed_window(target):
    ours = metrics_in(target.expression)
    others = set(re.findall(r"\bprocess_[a-z_]+", target.expression))
    selectors = re.findall(r"\{([^}]*)\}", target.expression)

    assert ours | others
    assert ours <= served_metrics()
    assert others <= {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"}
    assert selectors
    assert all(one.startswith('cluster=~"$cluster", namespace=~"$namespace"') for one in selectors)
    assert set(re.findall(r"\[([^]]*)\]", target.expression)) <= {"$__rate_interval", "$__range"}
    assert "$" not in with_variables(target.expression, interval="4s", time_range="1h")


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: f"{target.panel}: {target.legend}")
def test_legend_names_labels_that_the_query_keeps(target):
    kept = {label for labels in re.findall(r"by \(([^)]*)\)", target.expression) for label in labels.split(", ")}

    assert set(re.findall(r"\{\{(\w+)\}\}", target.legend)) <= kept


def test_every_metric_of_the_registry_that_people_can_act_on_has_a_panel():
    asked = {name for target in TARGETS for name in metrics_in(target.expression)}
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in served_metrics()}
    unseen = families - {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked}

    assert unseen == {"lockstep_snapshot_nodes"}, "lockstep_nodes says more"

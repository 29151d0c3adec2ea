"""Pictures of simulations: what is drawn where."""

import sys

import numpy as np
import pytest
from click.testing import CliRunner

from lockstep.cli import main
from lockstep.simulation.machine import Ran
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.model.promises import PromiseHistory
from lockstep.simulation.plots import gantt, promised_starts

SMALL = ["--jobs", "40", "--nodes", "16", "--seeds", "2", "--policy", "easy", "--policy", "balanced"]
HOUR = 3600


def ran(number, nodes, start, end, promises=None):
    job = Job(number=number, submitted=0, size=1, least=1, most=4, times=np.ones(4))
    return Ran(Arrival(job), nodes, start, end, promises)


def test_gantt_has_a_box_for_each_row_of_consecutive_nodes():
    figure = gantt("easy", [ran(1, [0, 1, 3], 0, HOUR), ran(2, [2], HOUR, 2 * HOUR)])

    [axes] = figure.axes
    boxes = [tuple(map(tuple, path.vertices[[0, 2]])) for path in axes.collections[0].get_paths()]
    assert boxes == [((0, 0), (1, 2)), ((0, 3), (1, 4)), ((1, 2), (2, 3))]


def test_promised_starts_are_drawn_over_the_real_ones():
    promises = PromiseHistory(2 * HOUR, 5 * HOUR, 4 * HOUR, 4 * HOUR)

    figure = promised_starts("balanced", [ran(1, [0], 3 * HOUR, 4 * HOUR, promises), ran(2, [0], 0, HOUR)])

    promised, likely = (points.get_offsets().tolist() for points in figure.axes[0].collections)
    assert (promised, likely) == ([[3, 5]], [[3, 2]])


def test_plots_are_drawn_beside_the_files(tmp_path):
    result = CliRunner().invoke(
        main, ["simulate", *SMALL, "--load", "0.5", "--load", "1.2", "--plots", "--out", str(tmp_path)]
    )

    assert result.exit_code == 0, result.output
    drawn = {path.name: path.read_bytes() for path in tmp_path.glob("*.png")}
    assert {"gantt-easy.png", "gantt-balanced.png", "slowdown.png"} <= set(drawn)
    assert all(name in result.stdout for name in drawn)
    assert all(picture.startswith(b"\x89PNG") for picture in drawn.values())


@pytest.mark.parametrize(
    ("options", "without", "want"),
    [
        pytest.param(["--plots", "--out", "plots"], True, "pip install 'lockstep-operator[plots]'", id="no matplotlib"),
        pytest.param(["--plots"], False, "--plots needs a folder to draw into: --out DIR.", id="no folder"),
    ],
)
def test_what_plots_lack_is_said_in_one_sentence(options, without, want, monkeypatch):
    if without:
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        monkeypatch.delitem(sys.modules, "lockstep.simulation.plots")

    result = CliRunner().invoke(main, ["simulate", *SMALL, *options])

    assert result.exit_code != 0
    assert want in result.stderr
    assert "Simulating" not in result.stderr

"""The commands of docs/shared-clusters.md turn on what the page says."""

import shlex

import pytest

from charts.helm import render
from docs.markdown import ROOT, fences

PAGE = ROOT / "docs" / "shared-clusters.md"
ASKING_AND_RECORD, SHARES = [fence.text for fence in fences(PAGE) if fence.language == "sh"]


@pytest.mark.parametrize(
    ("command", "want"),
    [
        pytest.param(
            ASKING_AND_RECORD,
            {"--tenant-answers=true", "--record=true", "--record-users=true"},
            id="answers and the record",
        ),
        pytest.param(SHARES, {"--fair-shares=true"}, id="fair shares"),
    ],
)
def test_command_gives_the_operator_its_options(command, want):
    helm, upgrade, release, chart, *options = shlex.split(command.replace("\\\n", ""))
    values = [option for option in options if "=" in option]

    objects = render({}, *(f"--set={one}" for one in values))

    assert (helm, upgrade, release, chart) == ("helm", "upgrade", "lockstep", "charts/lockstep")
    assert want <= set(objects.container["args"])

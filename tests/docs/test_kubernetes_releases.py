"""Which releases of Kubernetes Lockstep was run with: the documentation says those that can be started."""

from pathlib import Path

import pytest

from live.releases import OF_RELEASE
from sandbox.binaries import Tool, releases
from sandbox.binaries.catalog import recipe

ROOT = Path(__file__).parents[2]
VERSIONS = [recipe(Tool.KUBE_APISERVER, release).version.removeprefix("v") for release in releases()]


@pytest.mark.parametrize("page", ["README.md", "docs/install.md"])
def test_page_names_the_versions_that_are_started(page):
    *others, newest = VERSIONS

    assert f"{', '.join(others)} and {newest}" in (ROOT / page).read_text(encoding="utf-8")


def test_table_of_what_differs_has_each_release():
    assert f"| | {' | '.join(releases())} |" in (ROOT / "docs/install.md").read_text(encoding="utf-8")
    assert tuple(OF_RELEASE) == releases()

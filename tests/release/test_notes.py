"""What the notes of a release take from the changelog."""

from pathlib import Path

import click
import pytest
from release.make.notes import archive_of, section
from release.make.packing import Packed, pack

import lockstep

CHANGELOG = """\
# Changelog

## Unreleased: 0.2.0

### Added

- API: [a page](docs/api.md#limits) and [a site](https://example.com).

## 0.1.0 (2026-11-01)

- The first.
"""


@pytest.mark.parametrize(
    ("version", "want_section"),
    [
        pytest.param(
            "0.2.0",
            "### Added\n\n- API: a page (`docs/api.md#limits`) and [a site](https://example.com).\n",
            id="not released yet",
        ),
        pytest.param("0.1.0", "- The first.\n", id="released, with its day"),
    ],
)
def test_section_is_that_of_the_version_with_the_paths_of_pages(version, want_section):
    assert section(CHANGELOG, version) == want_section


@pytest.mark.parametrize(
    ("names", "want_arguments"),
    [
        pytest.param(["manifest.json", "layer.tar"], "docker-archive", id="this machine's platform"),
        pytest.param(["index.json", "oci-layout"], "--all oci-archive", id="all platforms"),
    ],
)
def test_notes_name_the_format_of_the_archive(tmp_path, names, want_arguments):
    pack(tmp_path / "image.tar", dict.fromkeys(names, Packed(b"")), made=0)

    assert archive_of(tmp_path / "image.tar") == want_arguments


def test_version_without_a_heading_is_refused():
    with pytest.raises(click.ClickException, match=r"no heading of the version 0\.1\.1"):
        section(CHANGELOG, "0.1.1")


def test_changelog_has_a_section_of_this_version():
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")

    assert section(changelog, lockstep.__version__)

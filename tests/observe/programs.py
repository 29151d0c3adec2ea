"""Programs that the tests need and that no package of Python's has."""

import shutil

import pytest


def needs(program: str) -> str:
    """Where a program of Prometheus' is; fails with what to install where it is not."""
    found = shutil.which(program)
    if found is None:
        pytest.fail(f"{program} is missing: install Prometheus (Debian and Ubuntu: apt-get install prometheus).")
    return found

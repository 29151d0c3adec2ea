"""Programs that the tests need and that no package of Python's has."""

import shutil

import pytest

_CHROMIUM = "install Chromium (Debian: apt-get install chromium)"
_PROMETHEUS = "install Prometheus (Debian and Ubuntu: apt-get install prometheus)"
_REMEDIES = {"chromium": _CHROMIUM, "prometheus": _PROMETHEUS, "promtool": _PROMETHEUS}


def needs(program: str) -> str:
    """Where one of these programs is; fails with what to install where it is not."""
    found = shutil.which(program)
    if found is None:
        pytest.fail(f"{program} is missing: {_REMEDIES[program]}.")
    return found

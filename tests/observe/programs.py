"""Programs that the tests need and that no package of Python's has."""

import shutil

import pytest

PACKAGES = {
    "chromium": ("Chromium", "chromium"),
    "prometheus": ("Prometheus", "prometheus"),
    "promtool": ("Prometheus", "prometheus"),
}


def needs(program: str) -> str:
    """Where one of these programs is; fails with what to install where it is not."""
    found = shutil.which(program)
    if found is None:
        whole, package = PACKAGES[program]
        pytest.fail(f"{program} is missing: install {whole} (Debian and Ubuntu: apt-get install {package}).")
    return found

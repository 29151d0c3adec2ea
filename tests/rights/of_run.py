"""The check after a run of tests: the operator asked for nothing that it may not do, and for all that it may."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rights.granted import operators_rights
from rights.used import UNUSED, Use, unused, use_in

# Where every sandbox of the run, in whatever process, leaves its audit log.
VARIABLE = "LOCKSTEP_SANDBOX_AUDIT"


class RightsOfRun:
    """A plug-in of the process that has begun the run, and that ends after all others.

    A run of some tests only can show what was forbidden, but not what is not needed. A test that wants to see something
    forbidden asks as another user. Keeps the logs in ``folder``, and deletes it in the end.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._problems: list[str] = []
        self._counts: list[str] = []

    def pytest_sessionstart(self) -> None:
        """Have the audit logs written; whatever is started from here on inherits the variable."""
        os.environ[VARIABLE] = str(self._folder)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the run where rights and requests do not agree."""
        rights = operators_rights()
        use = use_in(self._folder, rights)
        self._problems = [f"forbidden, {count} times: {what}" for what, count in sorted(use.forbidden.items())]
        if is_whole(session.config) and session.exitstatus == pytest.ExitCode.OK:
            self._problems += [f"granted, but never used: {verb} {resource}" for verb, resource in unused(use, rights)]
            self._counts = list(_counted(use))
        if self._problems:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was found; after a whole run, also what was counted."""
        if self._problems or self._counts:
            terminalreporter.section("The operator's rights (operator/rbac*.yaml) and its requests")
        for line in (*self._counts, *self._problems):
            terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self._folder, ignore_errors=True)


def is_whole(config: pytest.Config) -> bool:
    """Whether the run has all tests: none was named, chosen or left out."""
    chosen = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "stepwise", "collectonly")
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    return not named and not any(config.getoption(option, None) for option in chosen)


def _counted(use: Use) -> Iterator[str]:
    for (verb, resource), count in sorted(use.allowed.items(), key=lambda item: item[0][::-1]):
        yield f"{count:9,} {verb} {resource}"
    for (verb, resource), why in UNUSED.items():
        yield f"        - {verb} {resource}: {why}"
    early = use.too_early.total()
    yield f"{early:9,} refused by an API server that did not know its roles yet"

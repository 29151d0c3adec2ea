import io

import pytest
from rich.console import Console

from sandbox.progress import OnConsole


def test_step_in_a_file_says_when_it_begins_and_how_long_it_took():
    written = io.StringIO()
    progress = OnConsole(Console(file=written))

    with progress.step("Building etcd (once)"):
        begun = written.getvalue()

    assert begun == "Building etcd (once) ...\n"
    assert written.getvalue().splitlines()[1].startswith("Building etcd (once): done in ")


def test_step_that_fails_is_not_called_done():
    written = io.StringIO()
    progress = OnConsole(Console(file=written))

    with pytest.raises(ZeroDivisionError), progress.step("Building etcd"):
        _ = 1 / 0

    assert "done" not in written.getvalue()


def test_text_is_shown_as_it_is():
    written = io.StringIO()

    OnConsole(Console(file=written, width=20)).say("/a/long/[path]/that/does/not/fit/into/the/width")

    assert written.getvalue() == "/a/long/[path]/that/does/not/fit/into/the/width\n"

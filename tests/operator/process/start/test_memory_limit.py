"""The memory that the process may have, in containers with and without a limit."""

import os

import pytest

from lockstep.process.start.memory_limit import memory_limit_bytes

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        pytest.param("memory.max", f"{512 * MIB}\n", 512 * MIB, id="version 2 with a limit"),
        pytest.param("memory.max", "max\n", MACHINE, id="version 2 without"),
        pytest.param("memory/memory.limit_in_bytes", f"{64 * MIB}\n", 64 * MIB, id="version 1 with a limit"),
        pytest.param("memory/memory.limit_in_bytes", "9223372036854771712\n", MACHINE, id="version 1 without"),
        pytest.param("memory.max", "", MACHINE, id="an empty file"),
        pytest.param("other", "1", MACHINE, id="no control group"),
    ],
)
def test_limit_is_that_of_the_container_or_else_the_memory_of_the_machine(tmp_path, name, text, want):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)

    assert memory_limit_bytes(tmp_path) == want


def test_limit_that_changes_is_read_again(tmp_path):
    (tmp_path / "memory.max").write_text(f"{512 * MIB}\n")
    memory_limit_bytes(tmp_path)
    (tmp_path / "memory.max").write_text(f"{256 * MIB}\n")

    assert memory_limit_bytes(tmp_path) == 256 * MIB

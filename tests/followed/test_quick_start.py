"""The quick start, typed in word by word."""

from collections.abc import Iterator

import pytest

from docs.markdown import ROOT, fences
from followed.terminal import Terminal, applying, terminal

QUICK_START = ROOT / "docs" / "quick-start.md"


@pytest.fixture
def reader(at_hand, home) -> Iterator[Terminal]:
    """The first terminal; no sandbox is left afterwards."""
    with terminal(at_hand, home / "first") as opened:
        yield opened
    with terminal(at_hand, home / "last") as opened:
        opened.follow("make sandbox-down")


def test_sandbox_and_a_first_gang(reader, at_hand, home):
    [preparing, running] = fences(QUICK_START, "## In a sandbox")
    first, placed, later, waiting = fences(QUICK_START, "## A first gang")
    reader.follow(preparing.text)
    reader.stay_in(running.text)
    reader.until_it_says("ready: 12 nodes")

    with terminal(at_hand, home / "second") as other:
        [_, evaluating, _] = preparing.text.splitlines()
        other.follow(evaluating)
        other.follow(applying(first.text))
        other.see(placed.text)
        other.follow(applying(later.text))
        other.see(waiting.text)
        other.follow("kubectl apply -f examples/13-torchrun.yaml -f examples/14-mpirun.yaml")
        other.follow("kubectl wait --for=condition=Complete --timeout=300s gj/train gj/flow")
        reader.interrupt()

"""The README's quick start, typed in word by word."""

import copy
import json
from collections.abc import Iterator

import pytest
import yaml

from docs.markdown import ROOT, fences
from followed.terminal import Terminal, terminal

README = ROOT / "README.md"
LATER = {"second": {"min": 4, "max": 12}, "giant": {"min": 20, "max": 20}}


@pytest.fixture
def reader(at_hand, home) -> Iterator[Terminal]:
    """The first terminal; no sandbox is left afterwards."""
    with terminal(at_hand, home / "first") as opened:
        yield opened
    with terminal(at_hand, home / "last") as opened:
        opened.follow("make sandbox-down")


def test_sandbox_and_a_first_gang(reader, at_hand, home):
    [preparing, running] = fences(README, "### In a sandbox")
    manifests, *pictures = fences(README, "## A first gang")
    reader.follow(preparing.text)
    reader.stay_in(running.text)
    reader.until_it_says("ready: 12 nodes")

    with terminal(at_hand, home / "second") as other:
        [_, evaluating, _] = preparing.text.splitlines()
        other.follow(evaluating)
        other.follow(applying(manifests.text))
        other.see(pictures[0].text)
        # "Ten seconds later come a second gang, and one of 20 members."
        other.follow(applying(json.dumps(list_of_later(manifests.text))))
        other.see(pictures[1].text)
        reader.interrupt()


def applying(manifests):
    return f"kubectl apply -f - <<'END'\n{manifests}\nEND"


def list_of_later(manifests):
    """The first gang again, under other names and in other sizes."""
    [first] = [one for one in yaml.safe_load_all(manifests) if one["kind"] == "GangJob"]
    items = []
    for name, size in LATER.items():
        items.append(copy.deepcopy(first))
        items[-1]["metadata"]["name"] = name
        items[-1]["spec"]["size"] = size
    return {"apiVersion": "v1", "kind": "List", "items": items}

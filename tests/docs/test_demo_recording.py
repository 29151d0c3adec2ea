"""The recorded demo has the messages that the code has now: a message that is reworded needs `make record-demo`."""

import ast
import re
from functools import cache
from itertools import pairwise

import pytest

from docs.markdown import ROOT

RECORDING = ROOT / "docs" / "drawing" / "demo-recording.txt"
# What writes the messages of gangs and of the demo.
ROOMS = ("operator/lockstep/report", "engine/coschedule/queue", "demo")
GAP, END = "…", "|"
# The code puts messages together by these words: they follow a number, name a resource, or join two parts.
FILLED_IN = {"member", "members", "node", "nodes", "pod", "pods", "gang", "gangs", "s", "cpu", "and"}
LEAST_WORDS = 3


def plain(text):
    """The words of a text in a row; what the code fills in is a gap, and so is the end of a part of a sentence."""
    found = []
    for word in text.split():
        letters = word.strip(".,;:()\"`'")
        is_gap = letters in FILLED_IN or not re.fullmatch(r"[A-Za-z]['a-z]*", letters)
        found += [GAP] if is_gap else [letters.lower(), *([END] if word[-1] in ".,;:" else [])]
    return f" {' '.join(found)} "


def written(node):
    """The text of a string with gaps; None for anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else f" {GAP} " for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@cache
def texts_of_the_code():
    trees = (ast.parse(path.read_text()) for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    texts = (written(node) for tree in trees for node in ast.walk(tree))
    return GAP.join(plain(text) for text in texts if text)


def messages():
    """Each line of the recording as a whole, without colours; what users type in is left out."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", RECORDING.read_text()).splitlines()
    starts = [number for number, line in enumerate(lines) if re.match(r" *[0-9.]+ s +\S", line)]
    for first, following in pairwise([*starts, len(lines)]):
        _, _, _, text = " ".join(lines[first:following]).split(maxsplit=3)
        if not text.startswith("$"):
            yield text


def phrases():
    """What stands between two gaps of a message, of three words at least."""
    between = (part.strip() for text in messages() for part in re.split(f"[{GAP}{END}]", plain(text)))
    return sorted({part for part in between if len(part.split()) >= LEAST_WORDS})


def is_written(phrase):
    """Whether the code has the phrase, or its two parts, which it puts together."""
    words = phrase.split()
    cuts = [(words, []), *((words[:place], words[place:]) for place in range(2, len(words) - 1))]
    return any(all(not part or f" {' '.join(part)} " in texts_of_the_code() for part in cut) for cut in cuts)


@pytest.mark.parametrize("phrase", phrases())
def test_recorded_phrase_is_one_of_the_code(phrase):
    assert is_written(phrase)


def test_recording_has_phrases_of_all_that_gangs_say():
    assert len(phrases()) > 20
    assert not is_written("the gang was told that nobody waits")

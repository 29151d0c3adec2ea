"""Every message in the sources is in short sentences and in the words of the glossary. A placeholder is one word."""

import ast

import pytest

from words import ROOT, findings_of_code, messages


def test_every_module_with_messages_is_read():
    report = ROOT / "operator" / "lockstep" / "report"

    def count(*path):
        return len([*messages(ast.parse(report.joinpath(*path).read_text(encoding="utf-8")))])

    assert count("text", "refusal_sentences.py") > 20
    assert count("status", "events.py") > 10


LONG = '''
def chosen(size, nodes, start, latest, times):
    """A docstring is no message, however many words it has, and nobody counts these in this test of all messages."""
    return (
        f"{size} members expected on {nodes}, starting at {start} when the last node has room, promised for {latest} "
        f"at the latest, {times} times as fast as one idle reference node"
    )
'''


@pytest.mark.parametrize(
    ("source", "want"),
    [
        pytest.param(LONG, "29 words; 25 at most", id="a long sentence with placeholders, in two literals"),
        pytest.param('say(f"{gang} makes no sense: {why}.")', "makes no sense: say is invalid", id="a refused phrase"),
        pytest.param('say("Nobody may start it.")', "nobody: say no gang, no user, nothing", id="a refused word"),
        pytest.param('say(f"{node} has room. {gang} starts now.")', None, id="two short sentences"),
        pytest.param('query("SELECT nobody FROM gangs WHERE namespace = ?")', None, id="a query"),
    ],
)
def test_what_is_refused(source, want):
    found = [one.advice for one in findings_of_code(ast.parse(source), "here")]

    assert found == ([] if want is None else [want])

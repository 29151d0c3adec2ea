"""Every message in the sources is in short sentences and in the words of the glossary. A placeholder is one word."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from words import MOST_WORDS, ROOT, SAY_INSTEAD

# Each phrase that messages do without, with what to say in its place.
SAY_OTHERWISE = {
    "makes no sense": "is invalid",
    "pod of it ": "a pod of the Gang",
    "pods of it ": "pods of the Gang",
    "gives no run time": "states no run time",
    "is being undone": "is being torn down",
    "was undone": "was torn down",
    "a mistake of": "an error in",
    "only one can be meant": "use only one of",
    "its wait included": "with its wait",
}
LEAST_WORDS = 3
PLACEHOLDER = "X"
# They are no prose: queries of a database, and what browsers and parsers read.
NO_PROSE = re.compile(r"\b(SELECT|INSERT|CREATE|DELETE FROM|UPDATE|PRAGMA)\b|<[a-z/]|\(\?[:P<=!]|\\[dsw]")


def sources():
    """The modules whose texts users read: the tables of the papers are pages of their own."""
    papers = ROOT / "operator" / "lockstep" / "papers"
    for root in ("operator/lockstep", "engine/coschedule"):
        yield from (path for path in sorted((ROOT / root).rglob("*.py")) if papers not in path.parents)


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Each text of several words with its line: neighbours are joined, and a placeholder is one word."""
    nodes = [*ast.walk(tree)]
    apart = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    apart |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        text = "" if id(node) in apart else _text(node)
        if len(words_of(text)) >= LEAST_WORDS and not NO_PROSE.search(text):
            yield node.lineno, text


def _text(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part) if isinstance(part, ast.Constant) else PLACEHOLDER for part in parts)
        case _:
            return ""


def sentences(text: str) -> Iterator[str]:
    """As in pages, a sentence ends at a full stop, a colon or a semicolon."""
    yield from re.split(r"(?<=[.!?:;])\s+", " ".join(text.split()))


def words_of(sentence: str) -> list[str]:
    return re.findall(r"\S*[A-Za-z0-9]\S*", sentence)


def findings(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """The line, the sentence, and what is wrong with it."""
    for line, text in messages(tree):
        for sentence in sentences(text):
            count = len(words_of(sentence))
            if count > MOST_WORDS:
                yield line, sentence, f"{count} words; {MOST_WORDS} at most"
        for word in re.findall(r"[a-z]+", text.lower()):
            if word in SAY_INSTEAD:
                yield line, text, f"{word}: say {SAY_INSTEAD[word]}"
        for phrase, instead in SAY_OTHERWISE.items():
            if phrase in text:
                yield line, text, f"{phrase}: say {instead}"


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_messages_are_short_and_plain():
    assert [(str(path.relative_to(ROOT)), *one) for path in sources() for one in findings(parsed(path))] == []


def test_every_module_with_messages_is_read():
    report = ROOT / "operator" / "lockstep" / "report"
    found = {path: len(list(messages(parsed(path)))) for path in sources()}

    assert found[report / "text" / "refusal_sentences.py"] > 20
    assert found[report / "status" / "events.py"] > 10


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
    found = [why for _, _, why in findings(ast.parse(source))]

    assert found == ([] if want is None else [want])

"""The words that names and docstrings do without, and how long sentences may be: the glossary in CONTRIBUTING.md."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MOST_WORDS = 25
# Each private word with what to say in its place.
SAY_INSTEAD = {
    "told": "recorded, reported or the name of the field",
    "tell": "report, notify",
    "tells": "reports, notifies",
    "telling": "reporting",
    "news": "changes, changed keys",
    "look": "check, read, reconcile",
    "looks": "checks, reads, reconciles",
    "looked": "checked, read",
    "doubt": "parse failure",
    "doubts": "parse failures",
    "doubtful": "unreadable",
    "nobody": "no gang, no user, nothing",
    "whoever": "the process that, users that",
    "whomever": "the gang that",
    "foretold": "forecast",
    "foretell": "forecast",
    "outlook": "start estimate",
    "outlooks": "start estimates",
    "misfit": "placement conflict",
    "misfits": "placement conflicts",
    "whereabouts": "pods by label",
    "strangers": "unowned pods",
    "strays": "stale pods",
    "doomed": "torn down",
    "someday": "of unknown end",
    "taught": "learned",
    "teach": "learn from",
    "teaches": "is learned from",
    "lesson": "observation",
    "lessons": "observations",
    "spelled": "formatted",
    "spelt": "formatted",
    "spell": "format",
    "spells": "formats",
}
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
# They are no prose: queries of a database.
_NO_PROSE = re.compile(r"\b(SELECT|CREATE TABLE)\b")
# Names that users know, by module: of the library, and of a column in a file. They stay.
PUBLIC_NAMES = {
    "engine/coschedule/queue/problem/refusals.py": "Spelled",
    "engine/coschedule/queue/problem/snapshot.py": "someday",
    "operator/lockstep/simulation/measures.py": "told",
    # They fill the field ``someday`` of the library's snapshot.
    "tests/engine/brute/preemption.py": "someday",
    "tests/engine/builders.py": "someday",
    "tests/engine/queue/planner/test_holds.py": "someday",
}


class Finding(NamedTuple):
    """A word or a sentence, where it stands, and what to do about it."""

    place: str
    text: str
    advice: str


def findings(folder: Path) -> Iterator[Finding]:
    """What names and docstrings of the modules below a folder have against the glossary."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree, place = ast.parse(text), str(path.relative_to(ROOT))
        # To go through all nodes is most of the time, and few modules need it.
        lowered = text.lower()
        if any(word in lowered for word in SAY_INSTEAD):
            yield from _of_names(tree, place)
        yield from _of_docstrings(tree, place)


def findings_of_messages(folder: Path) -> Iterator[Finding]:
    """What texts in code have against the glossary: messages, help texts and lines of the log, f-strings included."""
    for path in sorted(folder.rglob("*.py")):
        yield from findings_of_code(ast.parse(path.read_text(encoding="utf-8")), str(path.relative_to(ROOT)))


def findings_of_code(tree: ast.AST, place: str) -> Iterator[Finding]:
    """What the messages of one module have against the glossary."""
    for line, text in messages(tree):
        for sentence in sentences(text):
            yield from findings_of_sentence(sentence, f"{place}:{line}")
        for phrase, instead in SAY_OTHERWISE.items():
            if phrase in text:
                yield Finding(f"{place}:{line}", text, f"{phrase}: say {instead}")


def findings_of_sentence(sentence: str, place: str) -> Iterator[Finding]:
    """Whether a sentence for users has too many words, or words that are not those of the glossary."""
    count = len(re.findall(r"\S*[A-Za-z0-9]\S*", sentence))
    if count > MOST_WORDS:
        yield Finding(place, sentence, f"{count} words; {MOST_WORDS} at most")
    for word in re.findall(r"[a-z]+", sentence.lower()):
        if word in SAY_INSTEAD:
            yield Finding(place, sentence, f"{word}: say {SAY_INSTEAD[word]}")


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of several words with their lines; neither docstrings nor single names nor SQL are such texts."""
    nodes = _nodes_of(tree)
    left_out = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    left_out |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        text = "" if id(node) in left_out else _text_of(node)
        if " " in text.strip() and not _NO_PROSE.search(text):
            yield node.lineno, text


def _nodes_of(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree but contexts of names, in half of the time that ``ast.walk`` takes."""
    nodes = [tree]
    for node in nodes:
        for value in node.__dict__.values():
            if isinstance(value, list):
                nodes += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                nodes.append(value)
    return nodes


def _text_of(node: ast.AST) -> str:
    """The text of a constant or an f-string, in which each value is one word."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text_of(part) or "X" for part in parts)
        case _:
            return ""


def _of_names(tree: ast.Module, place: str) -> Iterator[Finding]:
    for node in _nodes_of(tree):
        for name in _names_bound_by(node):
            for word in re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()):
                if word in SAY_INSTEAD and name != PUBLIC_NAMES.get(place):
                    yield Finding(f"{place}:{node.lineno}", name, f"say {SAY_INSTEAD[word]}")


def _names_bound_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.arg():
            yield node.arg
        case ast.Name(ctx=ast.Store()):
            yield node.id
        case ast.Attribute(ctx=ast.Store()):
            yield node.attr


def _statements_of(tree: ast.Module) -> list[ast.AST]:
    """The module, all of its statements, and what else has statements of its own."""
    found: list[ast.AST] = [tree]
    for node in found:
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, field, ())
    return found


def _of_docstrings(tree: ast.Module, place: str) -> Iterator[Finding]:
    for node in _statements_of(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            where = f"{place}:{getattr(node, 'lineno', 1)}"
            for sentence in sentences(text or ""):
                words = re.findall(r"[A-Za-z][\w'-]*", sentence)
                if len(words) > MOST_WORDS:
                    yield Finding(where, sentence, f"{len(words)} words; {MOST_WORDS} at most")
                for word in words:
                    if word.lower() in SAY_INSTEAD:
                        yield Finding(where, sentence, f"{word}: say {SAY_INSTEAD[word.lower()]}")


def sentences(text: str) -> Iterator[str]:
    """Sentences of a docstring, without code and indented blocks."""
    without_code = re.sub(r"``[^`]*``", "X", text)
    for paragraph in re.split(r"\n\s*\n|\n\s*[-*] |\n {4,}", without_code):
        yield from (one for one in re.split(r"(?<=[.:;?!])\s+", " ".join(paragraph.split())) if one)


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        for one in findings((ROOT / folder).resolve()):
            sys.stdout.write(f"{one.place}: {one.advice}: {one.text}\n")

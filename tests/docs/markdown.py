"""The documentation's pages, and what stands in them: links, headings, fenced blocks, tables, words in backquotes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


class Fence(NamedTuple):
    """A fenced block: its language, what the word behind it says about it, and its text."""

    language: str
    mark: str
    text: str


def name_of(page: Path) -> str:
    """The page as the repository names it."""
    return str(page.relative_to(ROOT))


def fences(page: Path, heading: str = "") -> list[Fence]:
    """Every fenced block of a page, or of the part below a heading and before the next."""
    text = page.read_text()
    if heading:
        _, found, text = text.partition(f"\n{heading}\n")
        assert found, f"{name_of(page)} has no {heading}"
        text = re.split(r"^#{2,} ", text, maxsplit=1, flags=re.MULTILINE)[0]
    return [Fence(*block) for block in re.findall(r"^```(\w*) ?(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, web addresses aside."""
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [target for target in targets if not target.startswith(("http:", "https:", "mailto:"))]


def anchors(page: Path) -> set[str]:
    """The fragments by which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def first_cells(page: Path, heading: str) -> list[str]:
    """The words in backquotes that open each row of the tables below a heading."""
    _, _, rest = page.read_text().partition(f"\n{heading}\n")
    section, _, _ = rest.partition("\n#")
    return re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)


def mentioned_targets(page: Path) -> Iterator[str]:
    """The targets of `make` that a page names, in backquotes or as a command in a block."""
    yield from re.findall(r"`make ([a-z0-9-]+)`", prose(page))
    for fence in fences(page):
        yield from re.findall(r"^(?:\$ )?make ([a-z0-9-]+)", fence.text, re.MULTILINE)


def sentences(page: Path) -> Iterator[str]:
    """The sentences of a page, of its lists and of the cells of its tables; a word in backquotes is one word."""
    text = re.sub(r"<!--.*?-->", "", prose(page), flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s|\||#)", text):
        for cell in block.split("|") if block.lstrip().startswith("|") else [block]:
            yield from re.split(r"(?<=[.!?:;])\**\s+", " ".join(cell.split()))


def text_of(page: str) -> str:
    """The words of a page, or of all pages of a folder, whatever their lines are."""
    folder = ROOT / "docs" / page
    pages = sorted(folder.glob("*.md")) if folder.is_dir() else [folder.with_suffix(".md")]
    return " ".join(word for one in pages for word in one.read_text().split())

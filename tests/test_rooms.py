"""A newcomer finds a behaviour by the names of folders, and a class by its name alone."""

import re
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

import pytest

from conftest import SEARCHES, TESTS, TIERS, TOGETHER
from texts import findings_in, sources, texts_of
from words import findings, findings_of_messages

ROOT = Path(__file__).parents[1]
MOST_MODULES = 18


def modules(root):
    return sorted((ROOT / root).rglob("*.py"))


@pytest.mark.parametrize("root", ["engine", "operator"])
def test_no_folder_has_more_modules_than_a_reader_takes_in(root):
    by_folder = defaultdict(set)
    for path in modules(root):
        by_folder[path.parent.relative_to(ROOT)].add(path.stem)

    assert {
        str(folder): len(stems) for folder, stems in by_folder.items() if len(stems - {"__init__"}) > MOST_MODULES
    } == {}


@pytest.mark.parametrize("root", ["engine", "operator", "sandbox", "demo"])
def test_class_names_are_unique_in_a_source_root(root):
    by_name = defaultdict(list)
    for path in modules(root):
        for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            by_name[name].append(str(path.relative_to(ROOT)))

    assert {name: places for name, places in by_name.items() if len(places) > 1} == {}


@pytest.mark.parametrize(
    "root", ["engine", "operator", "tests", "sandbox", "demo", "image", "release", "charts/make", "crds/make"]
)
def test_names_and_docstrings_use_the_words_of_the_glossary(root):
    assert [*findings(ROOT / root)] == []


@pytest.mark.parametrize(
    "root", ["engine", "operator", "sandbox", "demo", "docs", "image", "release", "charts/make", "crds/make"]
)
def test_messages_and_help_texts_use_the_words_of_the_glossary(root):
    assert [*findings_of_messages(ROOT / root)] == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_of_other_files_use_the_words_of_the_glossary(path):
    assert [*findings_in(path)] == []


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        (
            "a.yaml",
            "# One\n# two.\n#   code\nb: [{description: Three four., of: five}] # six",
            ["One\ntwo.", "Three four."],
        ),
        ("a.js", '// One two.\nshow("three four", `${five} six`);', ["One two.", "three four", "${five} six"]),
        ("a.html", '<p id="one">Two three.</p>', ["Two three."]),
        ("a.css", "/* One two. */", ["One two."]),
        ("a.md", "One two.\n\n- Three four.", ["One two.", "Three four."]),
    ],
)
def test_texts_are_comments_descriptions_and_what_pages_show(name, text, want):
    assert [one for one in texts_of(Path(name), text) if one.strip()] == want


@pytest.mark.parametrize(("tests", "sources"), [("operator", "operator/lockstep"), ("engine", "engine/coschedule")])
def test_folders_of_tests_mirror_those_of_sources(tests, sources):
    folders = {path.parent.relative_to(ROOT / "tests" / tests) for path in (ROOT / "tests" / tests).rglob("test_*.py")}

    assert {str(folder) for folder in folders if not (ROOT / sources / folder).is_dir()} == set()


TEST_FILES = [str(path.relative_to(TESTS)) for path in TESTS.rglob("test_*.py")]
PATTERNS = [*SEARCHES, *(one for patterns in TIERS.values() for one in patterns), *(f"{one}/*" for one in TOGETHER)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_of_a_tier_or_a_search_names_a_file(pattern):
    assert any(fnmatch(file, pattern) for file in TEST_FILES)

"""The pictures of the documentation are what the engine answers or the demo showed, and can be read in both modes."""

import hashlib
import importlib
import itertools
import re
import runpy
import xml.etree.ElementTree as ET

import pytest

from docs.markdown import PAGES, ROOT, links
from lockstep.process.timeline import PAGE

DOCS = ROOT / "docs"
FOLDER = DOCS / "pictures"
WORDS = ("name", "text", "note")
NAMES = ("allocation-map.svg", "bounding.svg", "demo.svg", "share-auction.svg", "speedup-over-size.svg")
TERMINAL = "demo.svg"
TIMELINES = ("timeline.png", "timeline-dark.png")
WITH_MODES = tuple(name for name in NAMES if name != TERMINAL)

# Web Content Accessibility Guidelines 2.1, 1.4.3: words of this size.
LEAST_CONTRAST = 4.5


@pytest.fixture(scope="module")
def pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return runpy.run_path(str(DOCS / "make_pictures.py"))["PICTURES"]


def colours(text):
    """Class to colour, of what is filled, in light and in dark mode."""
    sheet = re.search(r"<style>(.*)</style>", text, re.DOTALL)[1]
    light, _, dark = sheet.partition("@media")
    return [dict(re.findall(r"\.([\w-]+) \{ fill: (#\w{6})", rules)) for rules in (light, dark)]


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_every_picture_is_drawn(pictures):
    assert tuple(pictures) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_picture_is_up_to_date(pictures, name):
    assert (FOLDER / name).read_text() == pictures[name]()


@pytest.mark.parametrize("name", NAMES)
def test_picture_says_in_words_what_it_shows(name):
    root = ET.fromstring((FOLDER / name).read_text())  # noqa: S314 - a file of our own
    space = "{http://www.w3.org/2000/svg}"

    assert root.find(f"{space}title").text
    assert root.find(f"{space}desc").text


@pytest.mark.parametrize("name", WITH_MODES)
def test_everything_drawn_has_a_colour_in_both_modes(name):
    text = (FOLDER / name).read_text()
    used = set(re.findall(r'class="([\w-]+)"', text))
    light, _, dark = text.partition("@media")

    assert {style for style in used if f".{style} {{" not in light} == set()
    assert {style for style in used if f".{style} {{" not in dark} == set()


@pytest.mark.parametrize("name", WITH_MODES)
def test_words_stand_out_from_every_ground_in_both_modes(name):
    for mode in colours((FOLDER / name).read_text()):
        grounds = set(mode) - set(WORDS)
        poor = [
            (word, ground)
            for word, ground in itertools.product(WORDS, grounds)
            if contrast(mode[word], mode[ground]) < LEAST_CONTRAST
        ]

        assert grounds
        assert poor == []


def test_words_of_the_terminal_stand_out_from_its_own_ground():
    text = (FOLDER / TERMINAL).read_text()
    [ground] = re.findall(r'<rect fill="(#\w{6})"', text)
    words = re.findall(r"\.demo-r\d+ \{ fill: (#\w{6})", text)

    assert words
    assert [word for word in words if contrast(word, ground) < LEAST_CONTRAST] == []


@pytest.mark.parametrize("name", TIMELINES)
def test_picture_of_the_timeline_is_of_the_page_as_it_is(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        source_of = importlib.import_module("drawing.png").source_of
    picture = (FOLDER / name).read_bytes()

    assert source_of(picture) == hashlib.sha256(PAGE.text.encode()).hexdigest(), "make record-timeline takes another"
    # A reader of the README loads one of the two.
    assert len(picture) < 250_000


def test_every_picture_is_shown_on_a_page():
    shown = {(page.parent / target).resolve() for page in PAGES for target in links(page)}

    assert set(FOLDER.iterdir()) <= shown

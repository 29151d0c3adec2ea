"""Every relative link of the documentation leads somewhere."""

import pytest

from docs.markdown import PAGES, ROOT, anchors, links, name_of

LINKS = [
    pytest.param(page, target, id=f"{name_of(page)} to {target}")
    for page in PAGES
    for target in dict.fromkeys(links(page))
]


@pytest.mark.parametrize(("page", "target"), LINKS)
def test_link_leads_to_a_file_and_a_heading_that_are_there(page, target):
    path, _, fragment = target.partition("#")
    destination = (page.parent / path).resolve() if path else page

    assert destination.exists()
    assert destination.is_relative_to(ROOT)
    assert not fragment or fragment in anchors(destination)


def test_readme_links_to_every_page_of_the_documentation():
    readme = ROOT / "README.md"
    linked = {(ROOT / target.partition("#")[0]).resolve() for target in links(readme)}
    want_linked = {
        page for page in PAGES if page != readme and page.parent.name not in ("designs", "operations", "runbooks")
    }

    assert want_linked <= linked


def test_page_of_operations_links_to_all_of_them():
    index = ROOT / "docs" / "operations" / "README.md"
    linked = {(index.parent / target).resolve() for target in links(index)}

    assert {page for page in index.parent.glob("*.md") if page != index} <= linked


def test_page_of_alerts_links_to_every_runbook():
    operations = ROOT / "docs" / "operations" / "watching.md"
    linked = {(operations.parent / target).resolve() for target in links(operations)}

    assert {page for page in PAGES if page.parent.name == "runbooks"} <= linked


def test_no_two_designs_have_one_number():
    """A design that is dropped takes its number along."""
    numbers = [page.name.partition("-")[0] for page in PAGES if page.parent.name == "designs"]

    assert len(set(numbers)) == len(numbers)
    assert all(len(number) == 4 and number.isdigit() for number in numbers)

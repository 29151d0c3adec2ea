"""Answers with 404: only one that names the object says that the object does not exist."""

import pytest

from lockstep.api.client.answer import Answer, ApiUnavailableError, exists, served

PAGES = [
    pytest.param({"message": "404 page not found"}, id="page"),
    pytest.param({"details": {}}, id="no name"),
    pytest.param({"details": "no route"}, id="other details"),
    pytest.param({"details": None}, id="no details"),
]
ABSENCE = Answer(404, {"details": {"name": "g"}})


@pytest.mark.parametrize("body", PAGES)
def test_page_says_nothing_about_the_object(body):
    page = Answer(404, body)

    assert (page.is_absence, page.is_gone_or_changed, page.is_unserved) == (False, False, True)
    for judge in (exists, served):
        with pytest.raises(ApiUnavailableError):
            judge(page, "gang g")


def test_answer_that_names_the_object_says_that_it_is_gone():
    assert (ABSENCE.is_absence, ABSENCE.is_gone_or_changed, ABSENCE.is_unserved) == (True, True, False)
    assert not exists(ABSENCE, "gang g")
    assert served(ABSENCE, "gang g") is ABSENCE


def test_refusal_says_nothing_about_the_object_either():
    with pytest.raises(ApiUnavailableError, match="gang g can't be read: no"):
        exists(Answer(403, {"message": "no"}), "gang g")

"""What whoever runs the tests is told where a program is missing."""

import pytest

from observe.programs import needs


@pytest.mark.parametrize(
    ("program", "want"),
    [
        ("promtool", "promtool is missing: install Prometheus (Debian and Ubuntu: apt-get install prometheus)."),
        ("chromium", "chromium is missing: install Chromium (Debian: apt-get install chromium)."),
    ],
)
def test_missing_program_is_one_sentence_that_says_what_to_install(monkeypatch, tmp_path, program, want):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(pytest.fail.Exception) as caught:
        needs(program)

    assert str(caught.value) == want

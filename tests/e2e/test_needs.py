"""A machine on which nodes cannot be real is refused in one sentence, before anything is started."""

import os

import pytest

from e2e import needs


def test_user_without_rights_on_a_machine_without_control_groups_reads_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(needs, "CGROUP_V1", tmp_path / "cpuset")

    with pytest.raises(SystemExit) as refused:
        needs.main()

    assert refused.value.code == (
        "Real nodes need more than this machine has: root's rights, control groups of version 1."
    )


def test_machine_with_both_is_taken(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: needs.ROOT)
    monkeypatch.setattr(needs, "CGROUP_V1", tmp_path)

    assert [*needs.lacks()] == []

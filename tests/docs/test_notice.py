"""What the page for programs says about notices of a change: the template is understood, and the shell runs."""

import os
import subprocess

import pytest
import yaml

from docs.markdown import ROOT, fences
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.members.notice import notice_of, ready_for
from lockstep.facts.elastic import NextSize

SECTION = fences(ROOT / "docs" / "run-your-job.md", "### Notice of a change")
FILE = "/etc/lockstep/resize"
NOTICE = notice_of(NextSize(members=(), decided_at=0.0, expected_finish=None, why="", begins_at=1_795_176_000.0))


def text_of(language):
    [text] = [fence.text for fence in SECTION if fence.language == language]
    return text


def run_program(folder, notice, rank):
    """Run the page's shell in a member of that rank; returns what it printed, and what it asked of other programs."""
    (folder / "resize").write_text(notice, encoding="utf-8")
    for program in ("kubectl", "write-checkpoint"):
        (folder / program).write_text(f'#!/bin/sh\necho {program} "$@" >> {folder}/asked\n', encoding="utf-8")
        (folder / program).chmod(0o755)
    variables = {"PATH": f"{folder}:{os.environ['PATH']}", "LOCKSTEP_RANK": str(rank), "HOSTNAME": f"g-1-{rank}"}
    script = text_of("sh").replace(FILE, str(folder / "resize"))
    done = subprocess.run(["sh", "-eu", "-c", script], env=variables, check=True, capture_output=True, text=True)
    asked = folder / "asked"
    return done.stdout, asked.read_text(encoding="utf-8").splitlines() if asked.exists() else []


def test_template_of_the_page_has_the_notice_where_its_shell_reads_it():
    manifest = yaml.safe_load(text_of("yaml"))
    usual = {"namespace": "n", "uid": "u", "resourceVersion": "1", "generation": 1}
    manifest["metadata"] |= {**usual, "creationTimestamp": "2026-11-27T12:00:00Z"}

    assert parse_gang(manifest, None).spec.elastic.has_notice
    pod = manifest["spec"]["template"]["spec"]
    [mount], [volume] = pod["containers"][0]["volumeMounts"], pod["volumes"]
    assert mount["name"] == volume["name"]
    assert f"{mount['mountPath']}/{volume['downwardAPI']['items'][0]['path']}" == FILE


@pytest.mark.parametrize("rank", [0, 1])
def test_program_does_nothing_without_a_notice(tmp_path, rank):
    assert run_program(tmp_path, "", rank) == ("", [])


def test_member_of_rank_0_answers_when_its_checkpoint_is_written(tmp_path):
    notice = NOTICE.replace("0 ", "9 ", 1)

    said, asked = run_program(tmp_path, notice, 0)

    assert said == f"goes on with 9 members, at {notice.split()[1]} at the latest\n"
    assert asked[0] == "write-checkpoint"
    annotation, _, value = asked[1].removeprefix("kubectl annotate --overwrite pod g-1-0 ").partition("=")
    assert ready_for({"annotations": {annotation: value}}) == notice
    assert len(asked) == 2


def test_other_members_only_write_their_checkpoint(tmp_path):
    _, asked = run_program(tmp_path, NOTICE.replace("0 ", "9 ", 1), 1)

    assert asked == ["write-checkpoint"]

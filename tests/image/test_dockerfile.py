"""What holds of the Dockerfile, since no test here builds it."""

import re
import subprocess
from pathlib import Path

import pytest
from image.make.dockerfile import DOCKERFILE, read, run_configuration

import lockstep

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dockerfile():
    return read(DOCKERFILE.read_text(encoding="utf-8"))


def test_base_is_pinned_by_digest(dockerfile):
    assert re.fullmatch(
        r"docker\.io/library/python:3\.13\.\d+-slim-\w+@sha256:[0-9a-f]{64}", dockerfile.arguments["BASE"]
    )


def test_every_stage_starts_from_the_base(dockerfile):
    origins = [stage.origin for stage in dockerfile.stages]

    assert origins == ["${BASE} AS installed", "${BASE}"]


def test_every_step_is_a_script_of_the_folder(dockerfile):
    programs = [step.words[0] for stage in dockerfile.stages for step in stage.all("RUN")]

    assert programs == ["image/install.sh", "image/check.sh"]
    assert [program for program in programs if not (ROOT / program).stat().st_mode & 0o111] == []


def test_result_takes_over_the_installation_and_runs_nothing(dockerfile):
    last = dockerfile.stages[-1]

    assert [one.value for one in last.all("COPY")] == ["--from=installed /opt/lockstep /opt/lockstep"]
    assert last.all("RUN") == []


def test_nothing_is_fetched_but_by_the_steps(dockerfile):
    assert [stage.all("ADD") for stage in dockerfile.stages] == [[], []]


def test_steps_install_from_the_wheels_that_are_there(dockerfile):
    steps, last = dockerfile.stages

    assert steps.last("ENV").pairs["PIP_NO_INDEX"] == "1"
    assert {one.value for one in steps.all("COPY")} == {"image image", "build/wheels /wheels"}
    assert "PIP_NO_INDEX" not in last.last("ENV").pairs


def test_both_builders_find_one_file_of_what_they_may_see():
    names = {
        path.relative_to(ROOT).as_posix() for path in (ROOT, ROOT / "image") for path in path.glob("*.dockerignore")
    }

    assert names == {".dockerignore"}


def test_result_runs_the_operator_without_privileges(dockerfile):
    runs = run_configuration(dockerfile, VERSION=lockstep.__version__, REVISION="abc")

    assert runs["User"] == "65532:65532"
    assert [*runs["Entrypoint"], *runs["Cmd"]] == ["lockstep", "run"]
    assert runs["Env"][0].startswith("PATH=/opt/lockstep/bin:")


def test_result_has_a_name_for_a_user_without_an_account(dockerfile):
    """Since Python 3.13, kopf fails without one."""
    variables = dockerfile.stages[-1].last("ENV").pairs
    assert variables["LOGNAME"] == "lockstep"


def test_result_says_what_it_is(dockerfile):
    labels = run_configuration(dockerfile, VERSION=lockstep.__version__, REVISION="abc")["Labels"]

    assert {name.removeprefix("org.opencontainers.image."): value for name, value in labels.items()} == {
        "title": "Lockstep",
        "description": "A Kubernetes operator that places gangs: all pods of a gang, or none",
        "licenses": "Apache-2.0",
        "version": lockstep.__version__,
        "revision": "abc",
    }


def test_make_has_the_wheels_of_a_platform_before_it_builds_for_it():
    done = subprocess.run(["make", "--dry-run", "image"], cwd=ROOT, capture_output=True, text=True, check=True)

    [wheels, *_, build] = [line for line in done.stdout.splitlines() if "build/wheels" in line or "buildx" in line]
    assert wheels.endswith("build/wheels --platform=linux/amd64 --platform=linux/arm64")
    assert "buildx" in build


def test_make_builds_it_for_both_platforms():
    done = subprocess.run(["make", "--dry-run", "image"], cwd=ROOT, capture_output=True, text=True, check=True)

    assert "--file image/Dockerfile --platform linux/amd64,linux/arm64 " in done.stdout
    assert f"--build-arg VERSION={lockstep.__version__} " in done.stdout

"""``lockstep init`` as a person meets it: five questions, or a file that is converted."""

import json

import pytest
import yaml
from click.testing import CliRunner

from builders.jobs import job
from lockstep.cli import main

ANSWERED = ["--image=work:1", "--command=", "--members=4", "--requests=cpu=1", "--serial-time="]


def init(*arguments, stdin=None):
    return CliRunner().invoke(main, ["init", *arguments], input=stdin)


def test_five_questions_make_a_gang():
    done = init("heat", stdin='work:1\nsh -c "run all"\n2-12\ncpu=4,memory=8Gi\n10m\n')

    assert done.exit_code == 0, done.stderr
    assert yaml.safe_load(done.stdout) == {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": "GangJob",
        "metadata": {"name": "heat"},
        "spec": {
            "size": {"min": 2, "max": 12},
            "work": {"serialTime": "10m"},
            "template": {
                "spec": {
                    "containers": [
                        {
                            "name": "member",
                            "image": "work:1",
                            "command": ["sh", "-c", "run all"],
                            "resources": {"requests": {"cpu": "4", "memory": "8Gi"}},
                        }
                    ]
                }
            },
        },
    }
    assert done.stderr.count(": ") >= 5


def test_what_is_left_empty_is_left_out():
    spec = yaml.safe_load(init("heat", stdin="work:1\n\n8\n\n\n").stdout)["spec"]

    [member] = spec["template"]["spec"]["containers"]
    assert spec.keys() == {"size", "template"}
    assert "command" not in member
    assert member["resources"] == {"requests": {"cpu": "1", "memory": "1Gi"}}


def test_answer_that_makes_no_sense_is_asked_for_again():
    done = init("heat", *ANSWERED[:2], *ANSWERED[3:], stdin="many\n12-2\n0\n4,8,16\n")

    assert yaml.safe_load(done.stdout)["spec"]["size"] == {"allowed": [4, 8, 16]}
    errors = [line for line in done.stderr.splitlines() if "Error: " in line]
    assert ["neither a number" in errors[0], "12 is more than 2" in errors[1], "1 to 10000" in errors[2]] == [True] * 3


def test_options_answer_everything_and_the_name_is_asked_for():
    done = init(*ANSWERED, "-o", "json", stdin="heat\n")

    assert json.loads(done.stdout)["metadata"] == {"name": "heat"}


def test_job_is_converted_and_what_is_lost_goes_to_the_standard_error():
    done = init("--from", "-", stdin=yaml.safe_dump(job(parallelism=2, maxFailedIndexes=1)))

    assert done.exit_code == 0, done.stderr
    assert yaml.safe_load(done.stdout)["spec"]["size"] == {"min": 2, "max": 2}
    assert done.stderr.startswith("You need not convert Jobs, ")
    assert "pi: spec.maxFailedIndexes: not carried over, since a GangJob has nothing like it." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "stdin", "want"),
    [
        pytest.param(["heat", "--members=x"], None, "x is neither a number nor numbers such as 2-12", id="members"),
        pytest.param(["heat", "--requests=cpu"], None, "'cpu' is not a request such as cpu=4", id="requests"),
        pytest.param(["heat", "--requests=cpu=lots"], None, "lots is not a quantity", id="a quantity"),
        pytest.param(["heat", "--command='"], None, "No closing quotation", id="a quote"),
        pytest.param(["heat", "--serial-time=soon"], None, "soon", id="a time"),
        pytest.param(["heat", "--serial-time=0s"], None, "0s is not from 1ms to 876000h", id="no time"),
        pytest.param(["Heat", *ANSWERED], None, "Heat is not a valid name of a GangJob", id="a name"),
        pytest.param(["--from", "/nowhere"], None, "No such file", id="a file that is not there"),
        pytest.param(["--from", "-", "--image=a"], "", "--image can't be used with --from", id="both"),
        pytest.param(["--from", "-"], "a: [", "It is neither YAML nor JSON", id="no YAML"),
    ],
)
def test_wrong_arguments_end_it_with_one_sentence(arguments, stdin, want):
    done = init(*arguments, stdin=stdin)

    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.exit_code not in (0, None)
    assert len(lines) == 1, (done.stderr, done.exception)
    assert want in lines[0]


def test_file_that_is_not_text_is_refused_with_a_sentence(tmp_path):
    file = tmp_path / "odd"
    file.write_bytes(b"\xff\xfe\x00")

    assert "is not text" in init("--from", str(file)).stderr


def test_who_answers_nothing_gets_nothing():
    done = init("heat", stdin="")

    assert (done.exit_code, done.stdout) == (1, "")

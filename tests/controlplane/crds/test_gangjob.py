"""What a GangJob may say, and the sentence that answers what it may not."""

import pytest

MEASURED = [{"members": 2, "time": "5h8m"}, {"members": 16, "time": "43m"}]


def work(**fields):
    return {"spec": {"work": fields}}


def pod(**fields):
    return {"spec": {"template": {"spec": fields}}}


def container(**fields):
    return pod(containers=[{"name": "member", "image": "registry.k8s.io/pause:3.10", **fields}])


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({}, id="only a size and a template"),
        pytest.param({"spec": {"size": {"min": 4, "max": 4}}}, id="a rigid gang"),
        pytest.param({"spec": {"size": {"min": 1, "max": 10_000}}}, id="the widest range"),
        pytest.param(work(serialTime="10h"), id="a serial time"),
        pytest.param(work(serialTime="10h", learn=True), id="a serial time that runs correct"),
        pytest.param(
            work(serialTime="1h30m", overhead={"fixed": "5s", "perMember": "200ms", "perLogMember": "0s"}),
            id="a serial time with overhead",
        ),
        pytest.param(work(profile=MEASURED), id="a profile"),
        pytest.param({"spec": {"load": "Equal"}}, id="equal load"),
        pytest.param({"spec": {"load": "Proportional"}}, id="proportional load"),
        pytest.param(
            {"spec": {"load": "Proportional", "work": {"profile": MEASURED}}}, id="measured proportional load"
        ),
        pytest.param({"spec": {"load": "Pieces", "pieces": 2}}, id="a piece for each member"),
        pytest.param(
            {"spec": {"load": "Pieces", "pieces": 1_000_000, "work": {"serialTime": "10h"}}}, id="a million pieces"
        ),
        pytest.param({"spec": {"work": {"serialTime": "10h"}, "deadline": "2h"}}, id="a deadline"),
        pytest.param({"spec": {"priorityClassName": "batch"}}, id="a priority class"),
        pytest.param(pod(restartPolicy="OnFailure"), id="members that restart on failure"),
        pytest.param({"metadata": {"name": "a" * 52}}, id="the longest name"),
        pytest.param(
            container(resources={"requests": {"cpu": 1, "memory": "1.5Gi"}, "limits": {"cpu": "1000m"}}),
            id="quantities as numbers and as strings",
        ),
        pytest.param(
            container(ports=[{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]),
            id="one port of two protocols",
        ),
    ],
)
def test_gangjob_accepts(answer_to_gang, patch):
    assert answer_to_gang(patch) == ""


@pytest.mark.parametrize("text", ["1ms", "90s", "1h30m", "10h0m0s", "1.5h", "5000us", "5000µs", "1000000s", "876000h"])
def test_gangjob_reads_go_durations(answer_to_gang, text):
    assert answer_to_gang(work(serialTime=text)) == ""


@pytest.mark.parametrize(
    "text",
    ["", "0s", "-5s", "5", "1d", "soon", "1h 30m", "1e3s", "30m1h", "1ns", "876001h", "99999999999h", "9" * 23 + "s"],
)
@pytest.mark.parametrize("field", ["serialTime", "time"])
def test_gangjob_refuses_run_time(answer_to_gang, field, text):
    given = {"profile": [{"members": 2, field: text}]} if field == "time" else {field: text}
    path = "spec.work.profile[0].time" if field == "time" else "spec.work.serialTime"

    want = f'{path}: Invalid value: "{text}": {field} must be a Go duration from 1ms to 876000h, such as 90s or 1h30m.'
    assert answer_to_gang(work(**given)) == want


@pytest.mark.parametrize("text", ["", "-5s", "soon", "8761h"])
@pytest.mark.parametrize("field", ["fixed", "perMember", "perLogMember"])
def test_gangjob_refuses_overhead(answer_to_gang, field, text):
    want = f"{field} must be a Go duration from 0s to 8760h, such as 90s or 1h30m."

    answer = answer_to_gang(work(serialTime="1h", overhead={field: text}))

    assert answer == f'spec.work.overhead.{field}: Invalid value: "{text}": {want}'


@pytest.mark.parametrize("text", ["", "0s", "-2h", "tomorrow", "8761h"])
def test_gangjob_refuses_deadline(answer_to_gang, text):
    want = "deadline must be a Go duration from 1ms to 8760h, such as 90s or 1h30m, counted from the submission."

    answer = answer_to_gang({"spec": {"work": {"serialTime": "1h"}, "deadline": text}})

    assert answer == f'spec.deadline: Invalid value: "{text}": {want}'

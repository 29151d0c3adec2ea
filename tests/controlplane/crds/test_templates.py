"""What a template may be: what it may be in a Job. One that the schema lets through is refused by admission later."""

import copy

import pytest

from builders.templates import ADMISSION_REFUSES, MAY, SCHEMA_REFUSES
from sandbox import ApiError

DRY_RUN = "dryRun=All&fieldValidation=Strict"


@pytest.fixture
def answer_to_job(api):
    """Says why the API server refuses a Job with that template; nothing when it accepts it."""

    def answer(template):
        pod = {"restartPolicy": "Never", **template["spec"]}
        job = {"metadata": {"name": "heat"}, "spec": {"template": {**template, "spec": pod}}}
        return refusal(api, "/apis/batch/v1/namespaces/default/jobs", job)

    return answer


@pytest.fixture
def answer_to_gang_of(api, gang):
    """Says why the API server refuses a GangJob with that template; nothing when it accepts it."""

    def answer(template):
        job = gang()
        job["spec"]["template"] = template
        return refusal(api, "/apis/lockstep.dev/v1alpha1/namespaces/default/gangjobs", job)

    return answer


def refusal(api, path, manifest):
    """What the API server says against a manifest; nothing when it takes it."""
    try:
        api.request("POST", f"{path}?{DRY_RUN}", copy.deepcopy(manifest))
    except ApiError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("case", MAY)
def test_what_a_job_may_have_a_gangjob_may_have(answer_to_job, answer_to_gang_of, case):
    assert (answer_to_job(MAY[case]), answer_to_gang_of(MAY[case])) == ("", "")


@pytest.mark.parametrize("case", SCHEMA_REFUSES)
def test_what_a_job_may_not_have_is_refused_by_the_schema(answer_to_job, answer_to_gang_of, case):
    template, because = SCHEMA_REFUSES[case]

    assert because in answer_to_job(template)
    assert "spec.template.spec." in answer_to_gang_of(template)


@pytest.mark.parametrize("case", ADMISSION_REFUSES)
def test_what_only_admission_refuses_passes_the_schema(answer_to_job, answer_to_gang_of, case):
    """The operator then says so: see test_admission_refusals."""
    template, because = ADMISSION_REFUSES[case]

    assert because in answer_to_job(template)
    assert answer_to_gang_of(template) == ""

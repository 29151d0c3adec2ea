"""GangJobs as people write them down, and what is said of everything else."""

import pytest

from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.reading.manifests import read_gangs

HEAT = "{apiVersion: lockstep.dev/v1alpha1, kind: GangJob, metadata: {name: heat}, spec: {size: {min: 1, max: 2}}}"
COLD = HEAT.replace("heat", "cold")
BID = "{apiVersion: lockstep.dev/v1alpha1, kind: NodeBid, metadata: {name: n1}, spec: {}}"

# Each line names the one before nine times.
BOMB = "\n".join(f"- &b{line} [{', '.join(9 * [f'*b{line - 1}' if line else 'x'])}]" for line in range(10))


def test_documents_are_read_in_their_order_and_empty_ones_are_left_out():
    gangs = read_gangs(f"---\n{HEAT}\n---\n---\n{COLD}\n", namespace="team")

    assert [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in gangs] == [
        ("team", "heat"),
        ("team", "cold"),
    ]


def test_namespace_that_is_written_counts():
    [gang] = read_gangs(HEAT.replace("name: heat", "name: heat, namespace: own"), namespace="team")

    assert gang["metadata"]["namespace"] == "own"


def test_times_become_strings_as_the_api_server_gets_them():
    [gang] = read_gangs(HEAT.replace("max: 2}", "max: 2}, deadline: 2026-01-01T00:00:00Z"), namespace="team")

    assert gang["spec"]["deadline"] == "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("", "There is no GangJob in it.", id="nothing"),
        pytest.param("a: [", "It is neither YAML nor JSON", id="no YAML"),
        pytest.param("{1: 2}", "It is neither YAML nor JSON", id="a key that is no string"),
        pytest.param("!!python/object:os.system {}", "It is neither YAML nor JSON", id="code"),
        pytest.param("a: 2001-99-99", "It is neither YAML nor JSON: month must be in", id="a day that is none"),
        pytest.param("a: !!bool x", "It is neither YAML nor JSON: 'x'", id="a truth that is none"),
        pytest.param("a: !!timestamp x", "It is neither YAML nor JSON", id="a time that is none"),
        pytest.param("[" * 3000, "It is neither YAML nor JSON", id="too deep"),
        pytest.param("a: &a [*a]", "Its aliases stand for more than", id="a list that holds itself"),
        pytest.param(BOMB, "Its aliases stand for more than 1000000 values.", id="a billion values in a few lines"),
        pytest.param("a" * (2**22 + 1), "It has more than 4194304 characters", id="far too long"),
        pytest.param(
            HEAT.replace("heat", "heat, namespace: [a]"), "metadata.namespace of", id="a list for a namespace"
        ),
        pytest.param("just words", "A document in it is no object of Kubernetes.", id="words"),
        pytest.param(BID, "NodeBid n1 is in it, and only GangJobs of lockstep.dev/v1alpha1 can be planned.", id="bid"),
        pytest.param(HEAT.replace("GangJob", "Gang"), "Gang heat is in it: a Gang is planned with its pods", id="Gang"),
        pytest.param(f"{HEAT}\n---\n{BID}", "NodeBid n1 is in it", id="a gang and a bid"),
        pytest.param("{metadata: 3}", "An object without a kind is in it", id="no kind"),
        pytest.param(HEAT.replace("v1alpha1", "v9"), "GangJob heat is in it, and only", id="another version"),
        pytest.param(HEAT.replace("name: heat", "labels: {}"), "A GangJob in it has no name.", id="no name"),
        pytest.param(HEAT.replace("name: heat", "name: 7"), "A GangJob in it has no name.", id="a number for a name"),
        pytest.param(HEAT.replace("{size: {min: 1, max: 2}}", "3"), "GangJob heat has no spec.", id="no spec"),
        pytest.param(f"{HEAT}\n---\n{HEAT}", "GangJob team/heat is in it twice.", id="twice"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(text, want):
    with pytest.raises(AnswerError) as caught:
        read_gangs(text, namespace="team")

    assert want in str(caught.value)
    assert "\n" not in str(caught.value)

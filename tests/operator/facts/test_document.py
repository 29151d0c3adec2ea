"""What facts keep of the parts of objects that are only passed on."""

import tracemalloc

import pytest

from builders.served import gang
from builders.volumes import claim_templates
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.facts.document import Document, PodTemplate

POD = {
    "containers": [
        {
            "name": "main",
            "image": "work:1",
            "resources": {"requests": {"cpu": "1"}},
            "env": [{"name": "B", "value": "1"}, {"name": "A", "value": "é"}],
        }
    ]
}


@pytest.mark.parametrize("manifest", [{}, {"spec": POD}, {"metadata": None, "spec": {"a": [1, 2.5, None, True]}}])
def test_document_gives_back_what_was_written(manifest):
    assert Document.of(manifest).decoded() == manifest


def test_equal_objects_are_one_document_whatever_the_order_of_their_keys():
    assert Document.of({"a": 1, "b": {"c": 2, "d": 3}}) is Document.of({"b": {"d": 3, "c": 2}, "a": 1})


def test_lists_in_another_order_are_another_document():
    assert Document.of({"a": [1, 2]}) != Document.of({"a": [2, 1]})


def test_document_takes_no_more_memory_than_its_text():
    manifests = [{"numbers": list(range(number, number + 1000))} for number in range(100)]
    tracemalloc.start()
    try:
        documents = [Document.of(manifest) for manifest in manifests]
        allocated, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert allocated < 1.5 * sum(len(document.json) for document in documents)


def test_what_is_decoded_can_be_changed_without_changing_the_document():
    document = Document.of({"spec": POD})

    document.decoded()["spec"]["containers"].clear()

    assert document.decoded() == {"spec": POD}


@pytest.mark.parametrize("value", [2**70, object()])
def test_what_is_no_json_is_refused_with_a_reason(value):
    with pytest.raises(ValueError, match="can't be written as JSON"):
        Document.of({"value": value})


@pytest.mark.parametrize("written", [{}, {"metadata": None}, {"metadata": {"labels": None}, "spec": None}])
def test_template_that_says_little_has_no_more_than_its_document(written):
    assert PodTemplate.of(written) == PodTemplate(document=Document.of(written))


def test_gangs_with_equal_templates_share_one_document():
    one, other = (parse_gang(gang(name, pod_spec=POD), None).spec.roles[0].template for name in ("a", "b"))

    assert one.document is other.document


def test_facts_of_a_gang_hold_no_part_of_its_manifest():
    manifest = gang("g", pod_spec=POD, spec={"volumeClaimTemplates": claim_templates("fast")})
    [role] = parse_gang(manifest, None).spec.roles

    assert isinstance(role.template.document.json, bytes)
    assert [type(one) for one in role.claim_templates] == [Document]

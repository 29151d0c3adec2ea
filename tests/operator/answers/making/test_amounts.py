"""What a person types is checked as the API server checks it, so that what is written is accepted."""

import pytest
import yaml
from crds.make import shorthand

from docs.markdown import ROOT
from lockstep.answers.making.amounts import as_resources, parse_amounts
from lockstep.answers.making.new_gang import DURATION, LONGEST_DURATION_TEXT, parse_serial_time
from lockstep.answers.profile.profile import SHORTEST_SERIAL
from lockstep.answers.profile.profile_text import LONGEST_SERIAL


def test_what_cannot_be_shared_is_a_limit():
    amounts = parse_amounts("cpu=4, memory=8Gi,nvidia.com/gpu=2,hugepages-2Mi=4Mi")

    assert as_resources(amounts) == {
        "requests": {"cpu": "4", "memory": "8Gi"},
        "limits": {"nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi"},
    }
    assert as_resources(parse_amounts("nvidia.com/gpu=1")) == {"limits": {"nvidia.com/gpu": "1"}}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("cpu", "'cpu' is not a request such as cpu=4"),
        ("=4", "'=4' is not a request"),
        ("memory=8Gi,", "'' is not a request"),
        ("cpu=1,memory=8Gi, cpu=2", "cpu is given twice"),
        ("cpu=-1", "cpu=-1 is negative"),
        ("cpu=many", "many is not a quantity"),
        ("gpu=1", "gpu is not a resource: write cpu, memory, ephemeral-storage, or a name such as nvidia.com/gpu"),
        ("pods.kubernetes.io/x=1", "is not a resource"),
        ("nvidia.com/gpu=1.5", "nvidia.com/gpu=1.5 is not a whole number"),
        ("nvidia.com/-gpu=1", "is not the name of a resource"),
        ("NVIDIA.com/gpu=1", "is not the name of a resource"),
        ("requests.nvidia.com/gpu=1", "is not the name of a resource"),
        ("a/b/c=1", "is not the name of a resource"),
        ("cpu=1,hugepages-2Mi=3Mi", "hugepages-2Mi=3Mi is not a whole number of pages"),
        ("hugepages-2Mi=4Mi", "huge pages are allowed only with cpu or memory"),
    ],
)
def test_what_no_container_can_request_is_refused(text, want):
    with pytest.raises(ValueError, match=r".+") as raised:
        parse_amounts(text)

    assert want in str(raised.value)


def test_durations_are_those_of_the_schema():
    kinds = yaml.safe_load((ROOT / "crds" / "make" / "gangjobs.yaml").read_text())
    spec = kinds["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    limits = spec["work"]["properties"]["serialTime"]["x-lockstep-duration"]

    assert f"^{DURATION.pattern}$".replace(r"\.", "[.]") == shorthand._DURATION
    assert LONGEST_DURATION_TEXT == shorthand._DURATION_LENGTH
    assert limits == {"min": f"{1000 * SHORTEST_SERIAL:g}ms", "max": f"{LONGEST_SERIAL / 3600:.0f}h"}


@pytest.mark.parametrize("text", ["", "1ms", "10m", "1h30m", "1.5h", "876000h", "90s500ms"])
def test_duration_that_the_api_server_takes_is_taken(text):
    assert parse_serial_time(text) == text


@pytest.mark.parametrize(
    "text", ["0s", "-5m", "+5m", "5", "5 m", "30m1h", "876001h", "1ns", "1us", "1d", "0" * 30 + "1s"]
)
def test_duration_that_the_api_server_refuses_is_refused(text):
    with pytest.raises(ValueError, match="is not"):
        parse_serial_time(text)

"""What a person reads of six gangs with `kubectl get gj`, word by word."""

import re

import pytest

from builders.manifests import gang
from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")

WANT = """\
NAME   STATE       SIZE      SUMMARY
bad    Failed      1         Pod bad-1-0 failed: container main exited with 1
good   Succeeded   1         ended at TIME, ran SPAN
heat   Running     3 (2–5)   expected to end at TIME
huge   Waiting     20        HUGE
next   Planned     3         likely to start at TIME
pvc    Refused     2         Claim scratch is not bound to a volume yet (template.spec.volumes[0].persistentVolumeClaim)
""".replace(
    "HUGE",
    "It needs 20 members, and 12 fit: 3 of 3 nodes pass its constraints; cpu: 20 × 1 needed, 12 × 1 free",
)
VOLUMES = [{"name": "scratch", "persistentVolumeClaim": {"claimName": "scratch"}}]
CLAIM = {
    "accessModes": ["ReadWriteMany"],
    "storageClassName": "",
    "resources": {"requests": {"storage": "1Gi"}},
}


def test_table_of_six_gangs_says_how_far_each_is_and_why(arena):
    arena.add_nodes(3)
    arena.submit(gang("good", size=1, run_for="1s"))
    arena.submit(gang("bad", size=1, run_for="1s", exit_code="1"))
    arena.until_complete("good")
    arena.until("bad", "Failed")
    arena.api.request("POST", f"{arena.core}/persistentvolumeclaims", {"metadata": {"name": "scratch"}, "spec": CLAIM})

    arena.submit(gang("heat", size=(2, 5), cpu="4", work={"serialTime": "1h"}))
    arena.until("heat", "Placed")
    arena.submit(gang("next", size=3, cpu="4", work={"serialTime": "1h"}))
    arena.submit(gang("huge", size=20))
    arena.submit(gang("pvc", pod={"volumes": VOLUMES}))

    eventually(lambda: assert_table(arena.api.kubectl("get", "gj", "--namespace", arena.namespace)))
    [event] = arena.until_events("pvc", "ClaimNotBound")
    assert event["note"].startswith("Claim scratch is not bound to a volume yet")


def assert_table(shown):
    """Ages and times differ from run to run; columns are as wide as what stands in them."""
    assert squeezed(without_what_differs(shown)) == squeezed(WANT)
    return True


def without_what_differs(shown):
    header = shown.partition("\n")[0]
    start, end = header.index("AGE"), header.index("SUMMARY")
    lines = (line[:start] + line[end:] for line in shown.splitlines())
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "TIME", "\n".join(lines))
    return re.sub(r"ran (\d+|less than 1) s", "ran SPAN", text)


def squeezed(table):
    return [re.split(r"  +", line.strip()) for line in table.splitlines()]


def test_gang_that_overruns_says_since_when_and_by_an_event(arena):
    arena.add_nodes(1)
    arena.submit(gang("late", size=1, run_for="30s", work={"serialTime": "2s"}))

    arena.until("late", "Overrunning", "True", "RunsLonger")

    end = arena.status("late")["expectedFinish"]
    shown = arena.api.kubectl("get", "gj", "late", "--namespace", arena.namespace)
    assert re.search(r"late +Running +1 ", shown)
    assert f"was expected to end at {end}, and still runs" in shown
    [event] = arena.until_events("late", "GangOverruns")
    assert (event["type"], event["note"].startswith(f"The gang was expected to end at {end}, and still runs.")) == (
        "Warning",
        True,
    )

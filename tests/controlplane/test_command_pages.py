"""What the pages ask a person to type is typed in, block by block, by a user whose namespace is the arena's.

A page's blocks are all there are: one that is added is typed in too.
"""

import re

import pytest
import yaml

from builders.jobs import job
from docs.markdown import ROOT, fences
from eventually import eventually
from followed.terminal import applying
from sandbox import generic_nodes

QUICK_START = ROOT / "docs" / "quick-start.md"
DOCS = ROOT / "docs"
BIDS = "/apis/lockstep.dev/v1alpha1/nodebids"
RUN_FOR = "lockstep.dev/sandbox-run-for"
RUNS = f"{RUN_FOR}: 60s"


def typed_in(page, language="sh", mark=""):
    """The blocks of a page whose commands a test types in."""
    return [fence.text for fence in fences(DOCS / page) if (fence.language, fence.mark) == (language, mark)]


COMPLETION, ASKING, CONVERTING, QUEUE = typed_in("command-line.md", "console")
[REPLAY] = typed_in("why.md", "console")
SEEN_ONCE = typed_in("why.md", "console", "once")
# The words of a table, not in blocks: those that name a gang or a manifest.
[SLURM] = re.findall(r"^## From Slurm$(.*?)^## ", (DOCS / "coming-from.md").read_text(), re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"`((?:kubectl|lockstep) [^`]*(?:gang\.yaml|NAME|queue)[^`]*)`", SLURM)


@pytest.fixture
def cluster(operator, arena):
    """An operator, and the twelve nodes of the quick start, without bids."""
    arena.create_nodes(generic_nodes(12))
    yield arena
    arena.api.request("DELETE", BIDS)


@pytest.fixture
def first_gang(cluster, reader):
    """The cluster after the quick start's first gang: one gang runs, one waits for it, and one is too large."""
    first, _, later, _ = fences(QUICK_START, "## A first gang")
    # It must still run when the page is read, however busy the machine is.
    assert RUNS in first.text
    reader.follow(applying(first.text.replace(RUNS, f"{RUN_FOR}: 1h")))
    cluster.until_placed("first")
    reader.follow(applying(later.text))
    cluster.until("second", "Planned", "True", "StartsLater")
    cluster.until("giant", "Planned", "False", "NotEnoughRoom")
    return cluster


def test_blocks_of_the_guide_bound_the_slots_of_every_node(cluster, reader):
    [bounding] = typed_in("guide.md")

    reader.follow(bounding)

    bids = cluster.api.request("GET", BIDS)["items"]
    assert [(bid["metadata"]["name"], bid["spec"]["slots"]) for bid in bids] == [(name, 2) for name in cluster.nodes]


def test_blocks_about_a_node_that_is_off_and_one_without_an_agent_change_that_node(cluster, reader):
    for page in ("what-happens-when.md", "agent.md"):
        for block in typed_in(page):
            reader.follow(block)

    node = cluster.api.request("GET", "/api/v1/nodes/n05")
    assert "node.kubernetes.io/out-of-service" in [taint["key"] for taint in node["spec"]["taints"]]
    assert node["metadata"]["labels"]["lockstep.dev/agent"] == "off"


def test_queue_is_what_the_page_shows(first_gang, reader):
    reader.see(QUEUE.replace("default/", f"{first_gang.namespace}/"))
    reader.see(QUEUE.replace("default/", f"{first_gang.namespace}/").replace("$ lockstep", "$ kubectl lockstep"))


def test_recorded_snapshot_is_decided_again_as_the_page_shows(operator, first_gang, reader):
    fetching, *deciding = REPLAY.splitlines()

    reader.follow(fetching.removeprefix("$ ").replace("http://localhost:8081", operator.debug_url))

    reader.see("\n".join(deciding))


def test_commands_for_those_who_come_from_slurm_are_understood(cluster, reader, tmp_path):
    first, *_ = fences(QUICK_START, "## A first gang")
    [gang] = [part for part in first.text.split("---\n") if "kind: GangJob" in part]
    (tmp_path / "gang.yaml").write_text(gang)

    # Logs need a kubelet. What asks about a gang that is not there yet comes first, what deletes it last.
    for command in sorted((one for one in COMMANDS if " logs " not in one), key=place_of):
        reader.follow(command.replace("NAME", "first"))

    assert len(COMMANDS) > 6
    eventually(lambda: cluster.is_gone("first"))


def test_completion_knows_commands_and_names_of_gangs(first_gang, reader):
    reader.follow(COMPLETION.removeprefix("$ "))

    assert completed(reader, "lockstep", "que") == ["queue"]
    assert completed(reader, "lockstep", "logs", "gj/fi") == ["gj/first"]


def test_questions_are_those_of_the_page_and_make_a_gang(cluster, reader, tmp_path):
    command, *asked = ASKING.removeprefix("$ ").splitlines()
    questions = [re.fullmatch(r"(.*: )(.*)", line).groups() for line in asked]

    written = reader.follow(f"printf '%s\\n' {' '.join(repr(answer) for _, answer in questions)} | {command}")

    assert written == "".join(question for question, _ in questions)
    reader.follow("kubectl apply --dry-run=server -f heat.yaml")


def test_conversion_says_what_the_page_shows(cluster, reader, tmp_path):
    (tmp_path / "job.yaml").write_text(
        yaml.safe_dump(
            job("pi", completions=4, parallelism=4, completionMode="Indexed", backoffLimit=2, maxFailedIndexes=1)
        )
    )

    reader.see(CONVERTING)

    reader.follow("kubectl apply --dry-run=server -f gangjob.yaml")


def test_block_about_earlier_runs_prints_a_work_block(cluster, reader):
    first, *_ = fences(QUICK_START, "## A first gang")
    [asking] = typed_in("run-your-job.md")
    reader.follow(applying(first.text.replace("name: first", "name: heat").replace("60s", "1s")))
    cluster.until_complete("heat")

    written = reader.follow(asking)

    assert "1 run of its template is known" in written
    assert re.search(r"The last run succeeded in .* with 11 members, predicted ", " ".join(written.split()))


def test_commands_that_show_what_was_seen_once_answer_of_gangs_of_these_names(cluster, reader):
    first, *_ = fences(QUICK_START, "## A first gang")
    explaining, planning, profiling = (block.splitlines()[0].removeprefix("$ ") for block in SEEN_ONCE)
    reader.follow(applying(first.text.replace("name: first", "name: heat").replace("60s", "1s")))
    cluster.until_complete("heat")

    assert f"{cluster.namespace}/heat: 1 run of its template is known" in reader.follow(profiling)

    reader.follow(applying(first.text))
    cluster.until_placed("first")
    reader.follow(applying(first.text.replace("name: first", "name: render")))
    [quick] = [one for one in yaml.safe_load_all(first.text) if one["kind"] == "GangJob"]
    quick["metadata"]["name"] = "quick"
    reader.follow(f"cat > quick.yaml <<'end'\n{yaml.safe_dump(quick)}\nend")
    cluster.until("render", "Planned", "True", "StartsLater")
    for gang_name, asking in (("render", explaining), ("quick", planning)):
        answer = re.compile(rf"^{cluster.namespace}/{gang_name} starts .*^Why this size: ", re.DOTALL | re.MULTILINE)
        assert answer.search(reader.follow(asking))


def test_members_are_found_by_their_labels(cluster, reader):
    [finding] = typed_in("labels.md")
    all_members, first_members = finding.splitlines()
    first, *_ = fences(QUICK_START, "## A first gang")
    reader.follow(applying(first.text.replace("name: first", "name: heat")))
    cluster.until_placed("heat")

    shown = reader.follow(all_members), reader.follow(first_members)

    every, first_of_it = (re.findall(r"^heat-1-\d+", text, re.MULTILINE) for text in shown)
    assert (len(every), first_of_it) == (11, ["heat-1-0"])


def place_of(command):
    """Where a command comes in the life of a gang."""
    return -1 if " plan " in command else " delete " in command


def completed(reader, *words):
    """What bash offers for the last of these words."""
    typed = f"COMPREPLY=() COMP_WORDS=({' '.join(words)}) COMP_CWORD={len(words) - 1}"
    return reader.follow(f'{typed}; _lockstep_completion lockstep; printf "%s\\n" "${{COMPREPLY[@]}}"').split()

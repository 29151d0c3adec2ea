"""The pod of a member: the gang's template and what it must know about itself, and nothing that widens it."""

import copy
from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, reservation, role_spec
from coschedule import Members, Pieces, Share
from docs.markdown import ROOT, first_cells
from lockstep.api.members.dealer import with_dealer
from lockstep.api.members.member_pod import MemberPods
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.facts.elastic import ChangeMode, ElasticSpec
from lockstep.facts.gang.dealing import DealingSpec
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.gang.network import NetworkSpec, Rendezvous
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.runs.sweep_run import SweepRun

TEMPLATE = {
    "metadata": {"labels": {"app": "heat", "lockstep.dev/gang": "stolen"}, "annotations": {"note": "x"}},
    "spec": {
        "containers": [{"name": "main", "image": "work:1", "env": [{"name": "MINE", "value": "$(LOCKSTEP_RANK)"}]}],
        "initContainers": [{"name": "fetch", "image": "fetch:1"}],
        "serviceAccountName": "worker",
    },
}


ALIKE = (Members("n1", 2), Members("n2", 1))
SHARED = (Members("n1", 2, Share(0.285714285714)), Members("n2", 1, Share(0.428571428571)))
IN_PIECES = (Members("n1", 1, Pieces(5)), Members("n1", 2, Pieces(4)), Members("n2", 1, Pieces(9)))


def made(rank=1, *, template=TEMPLATE, priority_class="", attempt=2, members=ALIKE, network=None):
    gang = gang_fact("g", spec=gang_spec(template=template, priority_class=priority_class, network=network))
    return MemberPods(gang, attempt, members).pod(rank)


def variables(container):
    return {one["name"]: one["value"] for one in container["env"]}


def test_name_follows_from_gang_attempt_and_rank():
    assert made()["metadata"]["name"] == "g-2-1"
    assert made()["metadata"]["namespace"] == "default"


def test_pod_is_unbound_and_never_restarted():
    spec = made()["spec"]

    assert "nodeName" not in spec
    assert (spec["schedulerName"], spec["restartPolicy"]) == ("lockstep", "Never")


def test_template_s_restart_policy_is_kept():
    template = {"spec": {**TEMPLATE["spec"], "restartPolicy": "OnFailure"}}

    assert made(template=template)["spec"]["restartPolicy"] == "OnFailure"


def test_labels_of_ours_can_not_be_replaced():
    assert made()["metadata"]["labels"] == {
        "app": "heat",
        "lockstep.dev/gang": "g",
        "lockstep.dev/attempt": "2",
        "lockstep.dev/rank": "1",
    }
    assert made()["metadata"]["annotations"] == {"note": "x"}


def test_owner_controls_without_blocking():
    assert made()["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "lockstep.dev/v1alpha1",
            "kind": "GangJob",
            "name": "g",
            "uid": "uid-of-g",
            "controller": True,
            "blockOwnerDeletion": False,
        }
    ]


@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_every_container_knows_its_place(kind):
    [container] = made()["spec"][kind]

    want = {"LOCKSTEP_GANG": "g", "LOCKSTEP_ATTEMPT": "2", "LOCKSTEP_SIZE": "3", "LOCKSTEP_RANK": "1"}
    assert want.items() <= variables(container).items()


@pytest.mark.parametrize(
    ("members", "name", "want"),
    [
        pytest.param(
            SHARED, "LOCKSTEP_SHARE", ["0.285714285714", "0.285714285714", "0.428571428571"], id="proportional load"
        ),
        pytest.param(IN_PIECES, "LOCKSTEP_PIECES", ["0 5", "5 4", "9 4", "13 9"], id="pieces: the first, and how many"),
    ],
)
@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_every_container_knows_its_part_of_the_work(kind, members, name, want):
    containers = [made(rank, members=members)["spec"][kind][0] for rank in range(len(want))]

    assert [variables(one)[name] for one in containers] == want


def test_pieces_of_each_role_are_numbered_from_0():
    members = (Members("n1", 2, Pieces(5), "cpu"), Members("n2", 1, Pieces(3), "gpu"), Members("n3", 1, None, "log"))
    roles = [role_spec(name, template=TEMPLATE) for name in ("cpu", "gpu", "log")]
    pods = MemberPods(gang_fact("g", spec=gang_spec(roles=roles)), 1, members)

    of_members = [variables(pods.pod(rank)["spec"]["containers"][0]) for rank in range(4)]

    assert [of_member.get("LOCKSTEP_PIECES") for of_member in of_members] == ["0 5", "5 5", "0 3", None]


@pytest.mark.parametrize(
    ("members", "want"),
    [
        pytest.param((Members("n1", 3),), set(), id="equal"),
        pytest.param(SHARED, {"LOCKSTEP_SHARE"}, id="proportional"),
        pytest.param(IN_PIECES, {"LOCKSTEP_PIECES"}, id="pieces"),
    ],
)
def test_members_read_of_their_own_load_only(members, want):
    names = set(variables(made(members=members)["spec"]["containers"][0]))

    assert names - want == {*(f"LOCKSTEP_{name}" for name in ("GANG", "ATTEMPT", "SIZE", "RANK", "HOSTS")), "MINE"}
    assert want <= names


def test_every_variable_is_documented():
    pods = [made(members=members) for members in ((Members("n1", 3),), SHARED, IN_PIECES)]
    pods += [made(members=(Members("n1", 999),), network=NetworkSpec()), made_in_a_role(), made_of_a_run()]
    pods.append(made_with_a_dealer())
    names = {one["name"] for each in pods for one in each["spec"]["containers"][0]["env"]}

    assert set(first_cells(ROOT / "docs" / "operations" / "members.md", "## What a member knows")) == names - {
        "MINE",
        "RATE",
    }


def made_of_a_run():
    run = SweepRun(sweep=sweep_key("default", "s"), sweep_uid="u", number=1, parameters=(("RATE", "1"),))
    gang = gang_fact("s-1", spec=gang_spec(roles=[role_spec("", template=TEMPLATE)]))
    return MemberPods(replace(gang, run=run), 1, (Members("n1", 2),)).pod(0)


def made_with_a_dealer():
    spec = replace(gang_spec(template=with_dealer(TEMPLATE, "lockstep:1")), dealing=DealingSpec(30))
    return MemberPods(gang_fact("g", spec=spec), 2, IN_PIECES).pod(0)


def made_in_a_role():
    gang = gang_fact("g", spec=gang_spec(roles=[role_spec("workers", template=TEMPLATE)]))
    return MemberPods(gang, 1, (Members("n1", 2, role="workers"),)).pod(0)


def test_host_name_is_the_pod_s_below_the_gang_s_service():
    assert (made()["spec"]["hostname"], made()["spec"]["subdomain"]) == ("g-2-1", "g")


@pytest.mark.parametrize(
    ("own", "want"),
    [
        pytest.param({"hostname": "mine"}, ("mine", "g"), id="a host name"),
        pytest.param({"subdomain": "theirs"}, ("g-2-1", "theirs"), id="a subdomain"),
        pytest.param({"hostname": "", "subdomain": ""}, ("g-2-1", "g"), id="none, in so many words"),
    ],
)
def test_template_s_own_names_win(own, want):
    spec = made(template={"spec": {**TEMPLATE["spec"], **own}})["spec"]

    assert (spec["hostname"], spec["subdomain"]) == want


def test_no_template_lets_its_members_go_on_by_itself():
    template = {**TEMPLATE, "metadata": {"annotations": {"lockstep.dev/go": "true", "note": "x"}}}

    assert made(template=template)["metadata"]["annotations"] == {"note": "x"}


def test_every_container_finds_the_files():
    network = NetworkSpec(rendezvous=Rendezvous.MPI)
    spec = made(network=network)["spec"]

    mount = {"name": "lockstep-files", "mountPath": "/etc/mpi/hostfile", "subPath": "hostfile", "readOnly": True}
    assert [one["volumeMounts"] for one in (*spec["initContainers"], *spec["containers"])] == [[mount], [mount]]
    assert spec["volumes"] == [{"name": "lockstep-files", "configMap": {"name": "g-hosts"}}]


@pytest.mark.parametrize("place", ["/etc/mpi/hostfile", "/etc/mpi", "/etc/mpi/", "/etc"])
def test_what_a_container_mounts_there_itself_stays(place):
    own = {"name": "mine", "mountPath": place}
    template = {"spec": {"containers": [{"name": "main", "volumeMounts": [own]}], "volumes": [{"name": "mine"}]}}

    [container] = made(template=template, network=NetworkSpec(rendezvous=Rendezvous.MPI))["spec"]["containers"]

    assert container["volumeMounts"] == [own]


def test_mounts_beside_ours_are_no_obstacle():
    own = {"name": "mine", "mountPath": "/etc/mpi-of-mine"}
    template = {"spec": {"containers": [{"name": "main", "volumeMounts": [own]}]}}

    [container] = made(template=template, network=NetworkSpec(rendezvous=Rendezvous.MPI))["spec"]["containers"]

    assert [one["mountPath"] for one in container["volumeMounts"]] == ["/etc/mpi-of-mine", "/etc/mpi/hostfile"]


def test_template_s_own_volume_of_our_name_stays():
    own = {"name": "lockstep-files", "emptyDir": {}}
    template = {"spec": {"containers": [{"name": "main"}], "volumes": [own]}}

    spec = made(template=template, network=NetworkSpec(rendezvous=Rendezvous.MPI))["spec"]

    assert spec["volumes"] == [own]
    assert "volumeMounts" not in spec["containers"][0]


@pytest.mark.parametrize("members", [pytest.param(SHARED, id="shares"), pytest.param(IN_PIECES, id="pieces")])
def test_pods_made_after_a_restart_are_the_same(members):
    held = reservation("g", attempt=2, members=[(one.node, one.count, one.part) for one in members])
    status = GangStatus(attempt=2, members=members, start=0.0, reserved_at=0.0)
    gang = gang_fact("g", spec=gang_spec(size=held.size, template=TEMPLATE), status=status)

    again = reserved_in_status(gang)

    assert again == held
    before, after = (MemberPods(gang, one.attempt, one.members) for one in (held, again))
    assert [after.pod(rank) for rank in range(held.size)] == [before.pod(rank) for rank in range(held.size)]


def test_variables_of_ours_come_first():
    """Only so can the container's own refer to them."""
    assert [one["name"] for one in made()["spec"]["containers"][0]["env"]][-1] == "MINE"


def test_template_is_not_changed():
    before = copy.deepcopy(TEMPLATE)
    made(0)

    assert before == TEMPLATE


def test_nothing_but_what_is_promised_is_added():
    spec = made()["spec"]

    assert set(spec) == {*TEMPLATE["spec"], "schedulerName", "restartPolicy", "hostname", "subdomain"}
    assert spec["serviceAccountName"] == "worker"


def test_priority_class_is_the_gang_s():
    assert made(priority_class="batch")["spec"]["priorityClassName"] == "batch"
    assert "priorityClassName" not in made()["spec"]


def test_what_is_made_is_read_as_a_member():
    manifest = made()
    manifest["metadata"]["uid"] = "u"
    fact = parse_pod(manifest)

    assert fact.key == PodKey("default", "g-2-1")
    assert fact.member == (("default", "g"), "uid-of-g", 2, 1)


def test_template_without_metadata_will_do():
    assert made(template={"spec": {"containers": [{"name": "main"}]}})["metadata"]["annotations"] == {}


def of_roles(*entries):
    """The pods of an attempt whose members have these roles, by rank."""
    roles = (role_spec("launcher", size=1, template=LAUNCHER), role_spec("workers", most=4, template=TEMPLATE))
    spec = GangSpec(roles=roles, work=None, deadline_seconds=None, priority_class="")
    pods = MemberPods(gang_fact("g", spec=spec), 2, entries)
    return [pods.pod(rank) for rank in range(sum(entry.count for entry in entries))]


LAUNCHER = {"metadata": {"labels": {"app": "mpi"}}, "spec": {"containers": [{"name": "launch", "image": "mpi:1"}]}}


def test_pod_of_a_role_has_its_template_and_its_label():
    pods = of_roles(
        Members("n1", 1, role="launcher"), Members("n1", 1, role="workers"), Members("n2", 1, role="workers")
    )

    assert [pod["spec"]["containers"][0]["name"] for pod in pods] == ["launch", "main", "main"]
    assert [pod["metadata"]["labels"]["lockstep.dev/role"] for pod in pods] == ["launcher", "workers", "workers"]
    assert [pod["metadata"]["labels"]["app"] for pod in pods] == ["mpi", "heat", "heat"]


def test_ranks_go_through_the_roles():
    pods = of_roles(Members("n2", 1, role="launcher"), Members("n1", 2, role="workers"))

    assert [pod["metadata"]["name"] for pod in pods] == ["g-2-0", "g-2-1", "g-2-2"]
    assert {variables(pod["spec"]["containers"][0])["LOCKSTEP_SIZE"] for pod in pods} == {"3"}


def test_files_of_members_that_come_and_go_are_in_a_folder_that_changes():
    """A single file that is mounted by a subPath never changes."""
    elastic = ElasticSpec(60.0, 600.0, mode=ChangeMode.MEMBERS)
    network = NetworkSpec(rendezvous=Rendezvous.MPI)
    gang = gang_fact("g", spec=gang_spec(size=2, most=4, template=TEMPLATE, network=network, elastic=elastic))

    pod = MemberPods(gang, 1, [Members("n1", 2)], (0, 3)).pod(1)

    mounts = [one for one in pod["spec"]["containers"][0]["volumeMounts"] if one["name"] == "lockstep-files"]
    assert [(one["mountPath"], one.get("subPath")) for one in mounts] == [
        ("/etc/mpi/hostfile", "hostfile"),
        ("/etc/lockstep", None),
    ]
    assert (pod["metadata"]["name"], pod["metadata"]["labels"]["lockstep.dev/rank"]) == ("g-1-3", "3")

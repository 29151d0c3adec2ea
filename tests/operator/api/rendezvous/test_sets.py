"""What members find, set by set; docs/run-your-job.md has all of it."""

import re

import pytest

from builders.facts import gang_fact, gang_spec, role_spec
from coschedule import Load, Members
from docs.markdown import ROOT
from lockstep.api.rendezvous.meeting import LONGEST_HOSTS, meeting_of
from lockstep.api.rendezvous.sets import files, variables
from lockstep.facts.elastic import ChangeMode, ElasticSpec
from lockstep.facts.gang.network import Launcher, NetworkSpec, Rendezvous
from lockstep.facts.gang.status import GangStatus

THREE = (Members("n1", 2), Members("n2", 1))
ROLES = (role_spec("launcher", size=1, load=Load.NONE), role_spec("workers", size=2, request=(("cpu", 4500),)))
OF_ROLES = (Members("n1", 1, role="launcher"), Members("n1", 1, role="workers"), Members("n2", 1, role="workers"))
LAUNCHERS = list(Launcher)


def meeting(members=THREE, *, name="g", attempt=2, roles=(), request=(("cpu", 1000),), **network):
    spec = gang_spec(roles=roles, request=request, network=NetworkSpec(**network) if network else None)
    return meeting_of(gang_fact(name, spec=spec), attempt, members)


def changing(members=THREE, *, ranks=None, changes=3, roles=(), **network):
    """The meeting of members that come and go while the others run."""
    elastic = ElasticSpec(60.0, 600.0, mode=ChangeMode.MEMBERS)
    spec = gang_spec(size=2, most=8, roles=roles, network=NetworkSpec(**network) if network else None, elastic=elastic)
    fact = gang_fact("g", spec=spec, status=GangStatus(member_changes=changes))
    return meeting_of(fact, 2, members, ranks)


def crowd(**network):
    return meeting((Members("n1", 1000),), **network)


def variables_of(rank=1, members=THREE, **more):
    return variables(meeting(members, **more), rank)


def test_member_knows_all_hosts_by_rank():
    assert variables_of() == {"LOCKSTEP_SIZE": "3", "LOCKSTEP_RANK": "1", "LOCKSTEP_HOSTS": "g-2-0.g,g-2-1.g,g-2-2.g"}


@pytest.mark.parametrize(
    ("rank", "want"),
    [(0, ("launcher", "0", "1")), (1, ("workers", "0", "2")), (2, ("workers", "1", "2"))],
    ids=["launcher", "first worker", "second worker"],
)
def test_member_knows_its_role_and_its_place_in_it(rank, want):
    found = variables_of(rank, OF_ROLES, roles=ROLES)

    assert tuple(found[f"LOCKSTEP_ROLE{part}"] for part in ("", "_RANK", "_SIZE")) == want


def test_roles_that_are_listed_in_turns_are_counted_all_the_same():
    """Nothing of ours lists them so; whatever a status says, no pod must break."""
    members = [Members("n1", 1, role=role) for role in ("workers", "launcher", "workers")]

    assert variables_of(2, members, roles=ROLES)["LOCKSTEP_ROLE_RANK"] == "1"


def test_members_that_come_and_go_have_files_of_who_is_there():
    met = changing(ranks=(0, 2, 5))

    assert files(met) == {
        "/etc/lockstep/hosts": "g-2-0.g\ng-2-2.g\ng-2-5.g\n",
        "/etc/lockstep/size": "3\n",
        "/etc/lockstep/changes": "3\n",
    }
    assert variables(met, 2)["LOCKSTEP_RANK"] == "5"
    assert variables(met, 2)["LOCKSTEP_HOSTS_FILE"] == "/etc/lockstep/hosts"


@pytest.mark.parametrize(("place", "is_host"), [(0, "true"), (1, "false")])
def test_agents_of_torchrun_that_come_and_go_rank_themselves(place, is_host):
    found = variables(changing(rendezvous=Rendezvous.TORCH, port=1234), place)

    assert {name: value for name, value in found.items() if not name.startswith("LOCKSTEP")} == {
        "PET_NNODES": "2:8",
        "PET_RDZV_BACKEND": "c10d",
        "PET_RDZV_ENDPOINT": "g-2-0.g:1234",
        "PET_RDZV_ID": "g-2",
        "PET_RDZV_CONF": f"is_host={is_host}",
    }


def test_range_of_agents_counts_the_roles_that_work():
    roles = (ROLES[0], role_spec("workers", size=2, most=6))

    found = variables(changing(OF_ROLES, roles=roles, rendezvous=Rendezvous.TORCH), 1)

    assert (found["PET_NNODES"], found["PET_RDZV_ENDPOINT"].split(".")[0]) == ("2:6", "g-2-1")
    assert found["PET_RDZV_CONF"] == "is_host=true"


def test_many_hosts_stand_in_a_file():
    many = crowd(rendezvous=Rendezvous.NONE)

    assert "LOCKSTEP_HOSTS" not in variables(many, 0)
    lines = files(many)[variables(many, 0)["LOCKSTEP_HOSTS_FILE"]].splitlines()
    assert (lines[0], lines[999], len(lines)) == ("g-2-0.g", "g-2-999.g", 1000)


def test_without_network_many_hosts_are_listed_nowhere():
    """Such a gang needs no ConfigMap, and waits for none."""
    many = crowd()

    assert files(many) == {}
    assert set(variables(many, 0)) == {"LOCKSTEP_SIZE", "LOCKSTEP_RANK"}


@pytest.mark.parametrize("attempt", [1, 99_999])
def test_variable_is_never_longer_than_its_limit(attempt):
    for size in range(100, 500):
        found = variables_of(0, (Members("n1", size),), attempt=attempt)
        assert len(found.get("LOCKSTEP_HOSTS", "")) <= LONGEST_HOSTS


def test_torch_meets_at_the_first_worker():
    found = variables_of(2, rendezvous=Rendezvous.TORCH, port=1234)

    assert (
        found.items()
        >= {
            "MASTER_ADDR": "g-2-0.g",
            "MASTER_PORT": "1234",
            "WORLD_SIZE": "3",
            "RANK": "2",
            "NODE_RANK": "2",
            "PET_NNODES": "3",
            "PET_NODE_RANK": "2",
            "PET_MASTER_ADDR": "g-2-0.g",
            "PET_MASTER_PORT": "1234",
            "PET_RDZV_BACKEND": "static",
            "PET_RDZV_ENDPOINT": "g-2-0.g:1234",
            "PET_RDZV_ID": "g-2",
        }.items()
    )


def test_jax_meets_at_the_first_worker():
    found = variables_of(2, rendezvous=Rendezvous.JAX)

    want = {"JAX_COORDINATOR_ADDRESS": "g-2-0.g:29500", "JAX_NUM_PROCESSES": "3", "JAX_PROCESS_ID": "2"}
    assert found.items() >= want.items()


@pytest.mark.parametrize(
    ("rendezvous", "ranks", "want"),
    [
        pytest.param(Rendezvous.TORCH, ("RANK", "NODE_RANK", "PET_NODE_RANK"), ("MASTER_ADDR", "g-2-1.g"), id="torch"),
        pytest.param(Rendezvous.JAX, ("JAX_PROCESS_ID",), ("JAX_COORDINATOR_ADDRESS", "g-2-1.g:29500"), id="jax"),
    ],
)
def test_member_without_a_part_of_the_work_reads_where_to_meet_but_has_no_rank(rendezvous, ranks, want):
    launcher, *workers = (variables_of(rank, OF_ROLES, roles=ROLES, rendezvous=rendezvous) for rank in range(3))

    assert not launcher.keys() & set(ranks)
    assert [[worker[name] for name in ranks] for worker in workers] == [["0"] * len(ranks), ["1"] * len(ranks)]
    assert {one[want[0]] for one in (launcher, *workers)} == {want[1]}


@pytest.mark.parametrize(
    ("launcher", "want"),
    [
        (Launcher.OPEN_MPI, "g-2-1.g slots=4\ng-2-2.g slots=4\n"),
        (Launcher.MPICH, "g-2-1.g:4\ng-2-2.g:4\n"),
        (Launcher.INTEL, "g-2-1.g:4\ng-2-2.g:4\n"),
    ],
)
def test_host_file_has_the_workers_with_their_whole_cpus(launcher, want):
    of_roles = meeting(OF_ROLES, roles=ROLES, rendezvous=Rendezvous.MPI, launcher=launcher)

    assert files(of_roles) == {"/etc/mpi/hostfile": want}


@pytest.mark.parametrize("request_", [(), (("cpu", 100),), (("cpu", 1999),)], ids=["no CPU", "a tenth", "almost two"])
def test_member_has_one_slot_at_least(request_):
    [content] = files(meeting(rendezvous=Rendezvous.MPI, request=request_)).values()

    assert content == "g-2-0.g slots=1\ng-2-1.g slots=1\ng-2-2.g slots=1\n"


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_each_launcher_reads_where_its_file_is(launcher):
    found = variables_of(rendezvous=Rendezvous.MPI, launcher=launcher)

    assert "/etc/mpi/hostfile" in found.values()
    others = {name for one in LAUNCHERS if one is not launcher for name in added_for(one)}
    assert not found.keys() & others


def added_for(launcher):
    return variables_of(rendezvous=Rendezvous.MPI, launcher=launcher).keys() - variables_of().keys()


def test_large_mpi_gang_has_both_files():
    assert set(files(crowd(rendezvous=Rendezvous.MPI))) == {"/etc/lockstep/hosts", "/etc/mpi/hostfile"}


def documented(first_cell):
    """The names in backquotes in the row of that set."""
    page = (ROOT / "docs" / "run-your-job.md").read_text(encoding="utf-8")
    [row] = [line for line in page.splitlines() if line.startswith(f"| {first_cell} |")]
    return set(re.findall(r"`([A-Z][A-Za-z_]+_[A-Za-z_]+|RANK|/[a-z/]+)`", row))


@pytest.mark.parametrize(
    ("first_cell", "network"),
    [
        ("`Torch`", {"rendezvous": Rendezvous.TORCH}),
        ("`JAX`", {"rendezvous": Rendezvous.JAX}),
        *((f"`MPI`, `{one}`", {"rendezvous": Rendezvous.MPI, "launcher": one}) for one in LAUNCHERS),
    ],
)
def test_table_has_what_the_set_has(first_cell, network):
    found = meeting(**network)

    assert documented(first_cell) == (variables(found, 0).keys() - variables_of(0).keys()) | files(found).keys()

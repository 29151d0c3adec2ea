"""Where the volumes of ranks are, and how many there are for members: beside a check of every rank, and every node."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from builders.facts import claim_fact, gang_fact, gang_spec, node_fact, role_spec, volume_fact, volume_request
from coschedule import GangKey
from lockstep.api.members.claims import as_rank, kept_claim, kept_stem, stem_and_rank
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import Places, has_kept_claims, kept_places, places_of_role
from lockstep.belief.volumes.volume_choice import candidates
from lockstep.facts.cluster.volume import ClaimKey, ClaimUse, Sharing, StorageClass
from lockstep.facts.gang.role_sizes import sizes_of

NODES = ("n1", "n2", "n3", "n4")
TEMPLATES = ("data", "log-data")


def roles(rnd):
    """Two roles with one or two templates each."""
    for name in ("a", "b"):
        used = rnd.sample(TEMPLATES, rnd.randint(0, 2))
        claims = tuple(ClaimUse("", one, Sharing.KEPT, volume_request()) for one in used)
        role = role_spec(name, size=1, most=rnd.choice((1, 3)), claims=claims)
        yield replace(role, claim_templates=tuple({"metadata": {"name": one}} for one in used))


def places_of_each_rank(state, gang):
    """The places of all ranks by a check of each, None for a rank that has none yet."""
    claims, spec = state.claims, gang.spec
    names = {use.claim for role in spec.roles for use in role.claims}
    by_rank = [
        [
            claims.claims[key]
            for name in names
            if (key := ClaimKey("default", kept_claim(name, gang.key.name, rank))) in claims.claims
        ]
        for rank in range(spec.maximum)
    ]
    size = max((claim.gang_size for those in by_rank for claim in those), default=0)
    places = []
    for those in by_rank[:size]:
        reached = [names for claim in those if (names := claims.reach(claim)) is not None]
        places.append(frozenset.intersection(*reached) if reached else None)
    is_usual = sizes_of(spec.roles, size) is not None and any(place is not None for place in places)
    return any(by_rank), places if is_usual else []


@pytest.mark.parametrize("seed", range(200))
def test_places_of_ranks_are_those_that_a_check_of_each_finds(seed):
    rnd, state = random.Random(seed), State(lambda: None)  # noqa: S311 - a case has to come again
    for name in NODES:
        state.nodes.apply(node_fact(name, labels={"host": name}))
    gang = gang_fact("g", spec=gang_spec(roles=list(roles(rnd))))
    state.apply_gang(gang)
    for _ in range(12):
        name = kept_claim(rnd.choice(TEMPLATES), rnd.choice(("g", "g-1")), rnd.randrange(6))
        if rnd.random() < 0.2:
            state.claims.remove_claim(ClaimKey("default", name))
        else:
            state.claims.apply_volume(volume_fact(f"pv-{name}", on=rnd.sample(NODES, rnd.randint(0, 2))))
            selected = rnd.choice(("", "n1"))
            claim = claim_fact(name, volume=rnd.choice(("", f"pv-{name}")), selected_node=selected)
            state.claims.apply_claim(claim._replace(gang_size=rnd.choice((0, 2, 3, 4, 6))))

        has_any, want = places_of_each_rank(state, gang)

        found = kept_places(state.claims, gang)
        assert [found.there.get(rank) for rank in range(found.size)] == want
        assert has_kept_claims(state.claims, gang) == has_any
        sizes = sizes_of(gang.spec.roles, found.size) if want else {}
        first = 0
        for role in gang.spec.roles:
            count = sizes[role.name].minimum if sizes else 0
            part = places_of_role(gang.spec, role, found)
            assert [part.there.get(rank) for rank in range(part.size)] == want[first : first + count]
            first += count


@pytest.mark.parametrize("name", ["data-g-0", "data-g-12", "data-g-01", "data-g", "data-g-", "-3", "g-٣", "g-100000"])
def test_names_of_claims_are_read_as_they_are_formatted(name):
    named = stem_and_rank(name)

    formatted = {kept_claim(stem, gang, rank) for stem in ("data",) for gang in ("g",) for rank in range(100)}
    assert (named is not None and named[0] == kept_stem("data", "g")) == (name in formatted)
    assert named is None or f"{named[0]}-{named[1]}" == name


def test_rank_has_one_spelling():
    assert [as_rank(text) for text in ("0", "7", "99999", "07", "", "100000", "x", "+1")] == [0, 7, 99999, *[None] * 5]


def test_places_can_be_divided():
    places = Places(4, {0: frozenset("a"), 2: frozenset("b")})

    assert places.part(1, 2) == Places(2, {1: frozenset("b")})
    assert (places.to_be_made, places.part(1, 2).to_be_made) == (2, 1)


def members_one_by_one(shared, own, suiting, is_unmade, is_reached, most):
    """For how many members there are volumes on a node: each claim takes the first that is left, member by member."""
    count, used, seekers = 0, set(), [*shared, *own]
    while count < most:
        chosen = {}
        for seeker in sorted(seekers, key=lambda one: (one[1], one[0])):
            volume = next((it for it in suiting[seeker] if it.name not in used and is_reached(it)), None)
            if volume is not None:
                chosen[seeker] = volume
                used.add(volume.name)
        if any(is_unmade(seeker) for seeker in seekers if seeker not in chosen):
            return count
        if not chosen:
            return most
        count, seekers = count + 1, own
    return count


def storage_class(rnd):
    """A class whose volumes are made for claims, or one whose volumes are there before."""
    return rnd.choice(("made", "there"))


def with_volumes(rnd, state):
    """Add nodes, the two storage classes, some volumes on some nodes, and two claims that all members share."""
    claims = state.claims
    for name in NODES:
        state.nodes.apply(node_fact(name, labels={"host": name}))
    claims.storage.classes.apply(StorageClass("made", "disk.example.com", waits=True))
    claims.storage.classes.apply(StorageClass("there", "kubernetes.io/no-provisioner", waits=True))
    for number in range(rnd.randint(0, 9)):
        on = rnd.choice((None, rnd.sample(NODES, rnd.randint(1, 3))))
        kind = storage_class(rnd)
        claims.apply_volume(volume_fact(f"pv{number}", on=on, size=rnd.randint(1, 4), storage_class=kind))
    for number in range(2):
        claims.apply_claim(claim_fact(f"shared{number}", storage_class=storage_class(rnd), size=rnd.randint(1, 4)))


def any_seekers(rnd, claims):
    """The seekers of a role: of claims that its members share, and of claims that each member has of its own."""
    uses = [ClaimUse("", f"shared{number}") for number in range(rnd.randint(0, 2))]
    for number in range(rnd.randint(0, 2)):
        wanted = volume_request(storage_class=storage_class(rnd), size=rnd.randint(1, 4), mode="ReadWriteOnce")
        uses.append(ClaimUse("", f"own{number}", Sharing.KEPT, wanted))
    [role] = gang_spec(size=1, claims=tuple(uses)).roles
    key = GangKey("default", "g")
    return claims.shared_seekers(key, role), claims.own_seekers(key, role)


def most_members(claims, index, shared, own, most):
    """For how many members there are volumes on each node, counted member by member."""
    seekers = [*shared, *own]
    numbered = [(number, one.request.size) for number, one in enumerate(seekers)]
    suiting = {key: candidates(one, claims.volumes.values()) for key, one in zip(numbered, seekers, strict=True)}
    unmade = {key for key, one in zip(numbered, seekers, strict=True) if one.request.storage_class != "made"}
    for node in NODES:
        reached = {one.name for one in claims.volumes.values() if node in index.reaching(one.affinities)}
        yield (
            node,
            members_one_by_one(
                numbered[: len(shared)],
                numbered[len(shared) :],
                suiting,
                unmade.__contains__,
                lambda one, reached=reached: one.name in reached,
                most,
            ),
        )


@pytest.mark.parametrize("seed", range(150))
def test_members_with_volumes_are_those_of_a_check_of_each_node(seed):
    rnd, state = random.Random(seed), State(lambda: None)  # noqa: S311 - a case has to come again
    with_volumes(rnd, state)
    shared, own = any_seekers(rnd, state.claims)
    most = rnd.randint(1, 5)

    supply = state.claims.provisioning.supply(shared, own, members=most)

    for node, want in most_members(state.claims, state.nodes.index(), shared, own, most):
        assert (0 if node in supply.without else supply.most.get(node, most)) == want
    assert Counter(supply.short) == Counter()

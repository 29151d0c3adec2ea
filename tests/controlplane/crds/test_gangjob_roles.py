"""Roles of a GangJob: what they may say, and the sentence that answers what they may not."""

import pytest

from builders.volumes import claim_templates

TEMPLATE = {"spec": {"containers": [{"name": "member", "image": "registry.k8s.io/pause:3.10"}]}}
LAUNCHER = {"name": "launcher", "size": {"min": 1, "max": 1}, "load": "None", "template": TEMPLATE}
WORKERS = {"name": "workers", "size": {"min": 2, "max": 16}, "template": TEMPLATE}
FIXED = {**WORKERS, "size": {"min": 4, "max": 4}}
PIECES = {"load": "Pieces", "pieces": 64}
POOLS = [
    {**WORKERS, "name": "cpu", **PIECES},
    {**FIXED, "name": "gpu", **PIECES, "pieceWeight": 5},
]
NO_SHARE_BESIDE_PIECES = (
    "spec.roles: Invalid value: roles beside one with load Pieces must have load Pieces or None, because Lockstep does"
    " not divide work into pieces and shares at once."
)
RESTART = {"mode": "Restart"}
CLAIMS = claim_templates("fast", "data")
NO_ROLE_FOR_ELASTIC = (
    "spec.elastic: Invalid value: elastic needs a role with load Equal whose size can vary, without"
    " volumeClaimTemplates."
)
NO_SUCH_SIZE = "spec.elastic.size: Invalid value: elastic.size must be one of the sizes that size allows."


def roles(*listed, **fields):
    return {"spec": {"size": None, "template": None, "roles": list(listed), **fields}}


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(roles(WORKERS), id="one role"),
        pytest.param(roles(LAUNCHER, WORKERS), id="a launcher and its workers"),
        pytest.param(roles({**LAUNCHER, "startAfter": ["workers"]}, WORKERS), id="a launcher after its workers"),
        pytest.param(roles(WORKERS, {**FIXED, "name": "more"}), id="two roles that share the work"),
        pytest.param(roles(LAUNCHER, {**WORKERS, "load": "Proportional"}), id="shares of one role"),
        pytest.param(roles(LAUNCHER, WORKERS, pace="Local"), id="pace of equal workers"),
        pytest.param(roles(LAUNCHER, WORKERS, pace="Share"), id="shared pace of equal workers"),
        pytest.param(roles(LAUNCHER, {**WORKERS, "load": "Pieces", "pieces": 64}), id="pieces of one role"),
        pytest.param(roles(LAUNCHER, *POOLS, work={"serialTime": "1h"}), id="pieces of several roles"),
        pytest.param(
            roles({**WORKERS, **PIECES}, work={"serialTime": "1h", "learn": True}),
            id="learned, with pieces of one role",
        ),
        pytest.param(
            roles(LAUNCHER, {**WORKERS, "size": {"allowed": [4, 8, 16]}}, work={"serialTime": "1h"}), id="allowed sizes"
        ),
        pytest.param(roles(LAUNCHER, WORKERS, elastic=RESTART), id="workers whose number changes while they run"),
        pytest.param(
            roles(LAUNCHER, {**WORKERS, "size": {"allowed": [8, 4]}}, elastic=RESTART), id="one of several numbers"
        ),
        pytest.param(
            roles({**FIXED, "name": "data", "volumeClaimTemplates": CLAIMS}, WORKERS, elastic=RESTART),
            id="workers whose number changes beside claims",
        ),
        *(
            pytest.param(
                roles(
                    LAUNCHER, {**FIXED, "name": "others"}, {**WORKERS, "size": size}, elastic={**RESTART, "size": asked}
                ),
                id=f"elastic at {asked} with others of 5 and {size}",
            )
            for asked, size in [
                (7, {"min": 2, "max": 16}),
                (21, {"min": 2, "max": 16}),
                (9, {"min": 2, "max": 16, "multipleOf": 4}),
                (9, {"allowed": [8, 4]}),
                (13, {"allowed": [8, 4]}),
            ]
        ),
    ],
)
def test_gangjob_accepts_roles(answer_to_gang, patch):
    assert answer_to_gang(patch) == ""


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param(
            {"spec": {"roles": [WORKERS]}},
            "spec: Invalid value: spec must have either size and template, or roles, each of which has its own.",
            id="roles beside a template",
        ),
        pytest.param(
            roles(WORKERS, load="Proportional"),
            "spec.load: Forbidden: load and pieces are allowed only with template; with roles, each role has its own.",
            id="roles beside a load",
        ),
        pytest.param(
            roles(WORKERS, {**WORKERS, "name": "others"}),
            "spec.roles: Invalid value: roles must not have more than one whose size varies; give all others a size.min"
            " that equals their size.max.",
            id="two sizes that vary",
        ),
        pytest.param(
            roles(WORKERS, {**WORKERS, "name": "others", "size": {"allowed": [1, 2]}}),
            "spec.roles: Invalid value: roles must not have more than one whose size varies; give all others a size.min"
            " that equals their size.max.",
            id="two sizes that vary, one of them by a list",
        ),
        pytest.param(
            roles(*({**FIXED, "name": f"r{number}", "size": {"min": 5001, "max": 5001}} for number in (1, 2))),
            "spec.roles: Invalid value: roles must not have more than 10000 members together.",
            id="too many members",
        ),
        pytest.param(
            roles(FIXED, {**WORKERS, "name": "others", "load": "Proportional"}),
            "spec.roles: Invalid value: all roles beside one with load Proportional must have load None, because "
            "the work"
            " is divided among the members of one role.",
            id="shares beside an equal load",
        ),
        pytest.param(
            roles(FIXED, {**WORKERS, "name": "others", **PIECES}),
            NO_SHARE_BESIDE_PIECES,
            id="pieces beside equal shares",
        ),
        pytest.param(
            roles({**FIXED, "load": "Equal"}, *POOLS), NO_SHARE_BESIDE_PIECES, id="equal shares beside several roles"
        ),
        pytest.param(
            roles({**WORKERS, "pieceWeight": 2}),
            "spec.roles[0].pieceWeight: Forbidden: pieceWeight is allowed only with load Pieces.",
            id="a weight without pieces",
        ),
        pytest.param(
            roles({**WORKERS, **PIECES, "pieceWeight": 0}),
            "spec.roles[0].pieceWeight: Invalid value: 0: spec.roles[0].pieceWeight in body should be greater than or"
            " equal to 1",
            id="no weight",
        ),
        pytest.param(
            roles(*POOLS, work={"serialTime": "1h", "learn": True}),
            "spec.work.learn: Forbidden: learn is allowed with at most one role of load Pieces; with more, no "
            "single formula describes the run time.",
            id="learned, with pieces of several roles",
        ),
        pytest.param(
            roles(*POOLS, dealing="WhileRunning"),
            "spec.dealing: Forbidden: dealing is allowed only with load Pieces, beside template; roles have no dealer.",
            id="pieces of several roles, dealt while they run",
        ),
        pytest.param(roles(*POOLS, elastic=RESTART), NO_ROLE_FOR_ELASTIC, id="elastic with pieces of several roles"),
        pytest.param(
            roles(LAUNCHER),
            (
                "spec.roles: Invalid value: at least one role must have another load than None, because some member "
                "has to do the work."
            ),
            id="no member works",
        ),
        *(
            pytest.param(roles(*listed, elastic=RESTART), NO_ROLE_FOR_ELASTIC, id=f"elastic with {case}")
            for case, listed in {
                "roles of one size": [LAUNCHER, FIXED],
                "a role of one allowed size": [LAUNCHER, {**WORKERS, "size": {"allowed": [4]}}],
                "unequal shares": [LAUNCHER, {**WORKERS, "load": "Proportional"}],
                "members that do not work": [{**LAUNCHER, "size": {"min": 1, "max": 2}}, FIXED],
                "claims of each worker": [LAUNCHER, {**WORKERS, "volumeClaimTemplates": CLAIMS}],
            }.items()
        ),
        *(
            pytest.param(
                roles(
                    LAUNCHER, {**FIXED, "name": "others"}, {**WORKERS, "size": size}, elastic={**RESTART, "size": asked}
                ),
                NO_SUCH_SIZE,
                id=f"elastic at {asked} with others of 5 and {size}",
            )
            for asked, size in [
                (2, {"min": 2, "max": 16}),
                (6, {"min": 2, "max": 16}),
                (22, {"min": 2, "max": 16}),
                (8, {"min": 2, "max": 16, "multipleOf": 4}),
                (8, {"allowed": [8, 4]}),
                (14, {"allowed": [8, 4]}),
            ]
        ),
        pytest.param(
            roles({**WORKERS, "startAfter": ["workers"]}),
            "spec.roles: Invalid value: startAfter must name other roles, and these must not have startAfter.",
            id="a role after itself",
        ),
        pytest.param(
            roles({**LAUNCHER, "startAfter": ["wrokers"]}, WORKERS),
            "spec.roles: Invalid value: startAfter must name other roles, and these must not have startAfter.",
            id="after a role that is not there",
        ),
        pytest.param(
            roles({**LAUNCHER, "startAfter": ["workers"]}, {**WORKERS, "startAfter": ["launcher"]}),
            "spec.roles: Invalid value: startAfter must name other roles, and these must not have startAfter.",
            id="a circle",
        ),
        pytest.param(
            roles({**WORKERS, "load": "Pieces"}),
            "spec.roles[0].pieces: Required value: pieces must say into how many pieces the work is divided, because"
            " load is Pieces.",
            id="pieces without their number",
        ),
        pytest.param(
            roles({**WORKERS, "load": "Pieces", "pieces": 64}, work={"profile": [{"members": 2, "time": "1h"}]}),
            "spec.work.profile: Forbidden: load Pieces needs work.serialTime; a profile does not say how long a piece"
            " takes.",
            id="pieces with a profile",
        ),
        pytest.param(
            roles(FIXED, LAUNCHER, FIXED), 'spec.roles[2]: Duplicate value: {"name":"workers"}', id="a name twice"
        ),
    ],
)
def test_gangjob_refuses_roles(answer_to_gang, patch, want):
    assert answer_to_gang(patch) == want

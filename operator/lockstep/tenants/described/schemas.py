"""The schemas of all kinds of answers: each field has a type, and a description for users."""

from collections.abc import Mapping
from typing import Any

from lockstep.tenants.documents import KIND_NAMES, AnswerKind

Schema = Mapping[str, Any]


def _text(says: str) -> Schema:
    return {"type": "string", "description": says}


def _number(says: str) -> Schema:
    return {"type": "integer", "description": says}


def _time(says: str) -> Schema:
    return {"type": "string", "format": "date-time", "description": says}


def _maybe(schema: Schema) -> Schema:
    return {**schema, "nullable": True}


def _object(says: str, fields: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "description": says, "properties": fields}


def _any_object(says: str) -> Schema:
    return {"type": "object", "description": says, "x-kubernetes-preserve-unknown-fields": True}


def _list(says: str, item: Schema) -> Schema:
    return {"type": "array", "description": says, "items": item}


_NOW = {"now": _time("The time at which the server read the cluster.")}
_USE = {
    "useOfGroup": _maybe(
        _text("How much of its share the group of the namespace has used. Null if there are no fair shares.")
    )
}
_OTHERS = {
    "others": _object(
        "Numbers about the gangs of all namespaces, with those of this namespace.",
        {
            "waiting": _number("How many gangs wait."),
            "running": _number("How many gangs run."),
            "members": _number("How many members run."),
            "freed": _list(
                "When nodes become free.",
                _object(
                    "Nodes that become free at about the same time. A node counts once for each gang on it.",
                    {
                        "withinMinutes": _number("Within how many minutes, in steps of five."),
                        "nodes": _number("How many nodes."),
                    },
                ),
            ),
            "lasting": _number("How many nodes become free at an unknown time."),
        },
    )
}
_GANG = {"kind": _text("GangJob or Gang."), "name": _text("The name of the gang.")}
_WAITS = {
    **_GANG,
    "position": _maybe(_number("The position in the queue of all namespaces.")),
    "size": _maybe(_number("How many members it will start with.")),
    "start": _maybe(_time("The expected start. Null if it has none.")),
    "latestStart": _maybe(_time("The promised start. Null if it has none.")),
}
_RUNS = {
    **_GANG,
    "state": _text("What the gang does, such as Running."),
    "size": _number("How many members it has."),
    "nodes": _number("On how many nodes its members are."),
    "since": _time("Since when it has held these nodes."),
    "expectedFinish": _maybe(_time("The expected end. Null if it is unknown.")),
}
_AHEAD = {
    "ahead": _object(
        "The gangs that are planned before this one.",
        {"gangs": _number("How many gangs."), "members": _number("How many members they get.")},
    )
}
_GIVE_WAY = {
    "evicts": _number("How many gangs are evicted for this one."),
    "shrinks": _number("How many gangs shrink for this one."),
}
_WHY = {
    "reason": _text("StartsNow, StartsLater, or the reason why the gang can't start."),
    "message": _text("The reason as a sentence with numbers."),
    "notNow": _list("Why the gang does not start now.", _text("A sentence about one role.")),
}
_RUN = {
    "size": _number("How many members the run has."),
    "startsWithinMinutes": _maybe(_number("Within how many minutes it starts, in steps of five. Null means never.")),
    "endsWithinMinutes": _maybe(_number("Within how many minutes it ends. Null means never or unknown.")),
}
_DELAYS = {
    "delays": _list(
        "Which GangJobs of the namespace would start later.",
        _object(
            "A GangJob that would start later.",
            {
                "name": _text("The name of the GangJob."),
                "withinMinutes": _maybe(_number("By how many minutes at most. Null means that it would not start.")),
            },
        ),
    )
}
_PLAN_OF_GANG = _object(
    "What the plan says. Null if the gang does not wait, or is not among the first 1,000 gangs.",
    {
        **_WHY,
        "size": _maybe(_number("How many members the plan gives to the gang.")),
        "start": _maybe(_time("The planned start.")),
        "finish": _maybe(_time("The planned end. Null if it is unknown.")),
        "promisedStart": _maybe(_time("The latest start that Lockstep promises.")),
        **_AHEAD,
        **_GIVE_WAY,
        "sizes": _list(
            "What would happen with each size.",
            _object(
                "One size.",
                {
                    "size": _number("How many members."),
                    "start": _maybe(_time("The start. Null means never.")),
                    "finish": _maybe(_time("The end. Null means never or unknown.")),
                },
            ),
        ),
        "tried": _number("How many changes were tried that could let the gang start sooner."),
        "sooner": _list(
            "Changes with which the gang would start sooner.",
            _object(
                "One change.",
                {
                    "if": _text("The change, as a clause."),
                    "size": _number("How many members the gang would start with."),
                    "withinMinutes": _number("Within how many minutes it would start."),
                },
            ),
        ),
    },
)
_EXPLANATION = {
    **_NOW,
    "phase": _text("What happens to the gang, such as Waiting or Placed."),
    "size": _maybe(_number("How many members it has. Null if it holds no nodes.")),
    "start": _maybe(_time("When it got its nodes. Null if it holds none.")),
    "finish": _maybe(_time("Its expected end. Null if it holds no nodes, or if the end is unknown.")),
    **_OTHERS,
    **_USE,
    "plan": _maybe(_PLAN_OF_GANG),
}
_COARSE_PLAN = _object(
    "The plan with the GangJob. Only the API server writes this field.",
    {
        **_WHY,
        "run": _maybe(_object("The planned run. Null if there is none.", _RUN)),
        "sizes": _list("What would happen with each size.", _object("One size.", _RUN)),
        **_AHEAD,
        **_GIVE_WAY,
        **_DELAYS,
    },
)
_SWEEP_PLAN = _object(
    "The plan with the first runs of the GangSweep. Only the API server writes this field.",
    {
        "runs": _number("How many runs the sweep has."),
        "members": _maybe(_number("How many members each run has.")),
        "sideBySide": _number("How many runs run at once."),
        "message": _text("Why the runs have this size, and what limits how many run at once."),
        "planned": _number("How many runs are in the plan."),
        "startNow": _number("How many runs start now."),
        "startsWithinMinutes": _maybe(_number("Within how many minutes the first run starts. Null means never.")),
        "endsWithinMinutes": _maybe(_number("Within how many minutes all runs end. Null means never or unknown.")),
        **_AHEAD,
        **_DELAYS,
    },
)


def _question(field: str, kind: str, resource: str) -> Mapping[str, Schema]:
    says = f"The spec of a {kind} that does not exist. kubectl explain {resource}.spec describes it."
    return {"spec": _object(f"The {kind} to plan.", {field: _any_object(says)})}


_FIELDS: Mapping[AnswerKind, tuple[str, Mapping[str, Schema]]] = {
    AnswerKind.QUEUES: (
        "The gangs of a namespace that run and wait. Each namespace has one queue with the name default.",
        {
            **_NOW,
            **_OTHERS,
            **_USE,
            "running": _list("Gangs that hold nodes.", _object("A gang that holds nodes.", _RUNS)),
            "runningLeftOut": _number("How many more gangs hold nodes."),
            "gangs": _list("Gangs that wait.", _object("A gang that waits.", _WAITS)),
            "leftOut": _number("How many more gangs wait."),
        },
    ),
    AnswerKind.GANGJOB_EXPLANATIONS: ("Why a GangJob has its size, its nodes and its start.", _EXPLANATION),
    AnswerKind.GANG_EXPLANATIONS: ("Why a Gang has its size, its nodes and its start.", _EXPLANATION),
    AnswerKind.TIMELINES: (
        "On which nodes gangs of a namespace run now and later. Each namespace has one timeline with the name default.",
        {**_NOW, **_OTHERS, "picture": _any_object("What lockstep timeline shows.")},
    ),
    AnswerKind.HISTORIES: (
        "The records of gangs of a namespace. Each namespace has one history with the name default.",
        {
            **_NOW,
            "notes": _list("What is missing in the record.", _text("A sentence.")),
            "rows": _list("The records.", _any_object("A gang, a sum or a loss, as lockstep history shows it.")),
            "isCutOff": {"type": "boolean", "description": "Whether there are more records than one answer has."},
        },
    ),
    AnswerKind.PLANS: (
        "A plan with a GangJob that does not exist. The API server returns the plan, and stores nothing.",
        {**_question("gangJobSpec", "GangJob", "gangjobs"), **_NOW, **_OTHERS, "plan": _COARSE_PLAN},
    ),
    AnswerKind.SWEEP_PLANS: (
        "A plan with a GangSweep that does not exist. The API server returns the plan, and stores nothing.",
        {**_question("gangSweepSpec", "GangSweep", "gangsweeps"), **_NOW, **_OTHERS, "plan": _SWEEP_PLAN},
    ),
}


def schema_of(kind: AnswerKind) -> Schema:
    """The schema of an object of that kind."""
    says, fields = _FIELDS[kind]
    names = {"namespace": _text("The namespace."), "name": _text("The name of the object.")}
    head = {
        "apiVersion": _text("The version of the API."),
        "kind": _text(f"The kind, {KIND_NAMES[kind]}."),
        "metadata": _object("The namespace and the name.", names),
    }
    return _object(says, {**head, **fields})

"""Rules that an operator has only for some sources, or for some owners: when the chart's roles have which."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source

_INDENT = "  "
# A rule begins with the comment above it, if it has one.
_RULE = re.compile(rf"^(?:{_INDENT}#.*\n)*{_INDENT}- (?:.*\n?)(?:{_INDENT}  .*\n?)*", re.MULTILINE)
_MAKES_GANGS = 'without .Values.sources "pods"'
_WORKLOADS = OWNERS[Source.WORKLOAD]
_READS_OWNERS = {(one.group, one.plural): f'has "{source}" .Values.sources' for source, one in OWNERS.items()}


def with_sources(rules: str) -> str:
    """The text of a role's rules, each in the condition under which an operator of these sources needs it."""
    return _with_conditions(rules, _of_sources)


def with_sizing(rules: str) -> str:
    """The text of a role's rules, each in the condition that the owners that it concerns get a size."""
    return _with_conditions(rules, _of_sized)


def with_suspends(rules: str) -> str:
    """The text of a role's rules, each in the condition that the values name the kind that it lets suspend."""
    return _with_conditions(rules, _of_suspended)


def _with_conditions(rules: str, condition: Callable[[Mapping[str, Any]], str]) -> str:
    return _RULE.sub(lambda found: _conditional(found[0], condition), rules)


def _conditional(text: str, condition: Callable[[Mapping[str, Any]], str]) -> str:
    [rule] = yaml.safe_load(text)
    when = condition(rule)
    if not when:
        return text
    return f"{_INDENT}{{{{- if {when} }}}}\n{text.rstrip()}\n{_INDENT}{{{{- end }}}}\n"


def _of_sized(rule: Mapping[str, Any]) -> str:
    [resource] = rule["resources"]
    return f'has "sized{resource.removesuffix("s")}" .Values.sources'


def _of_suspended(rule: Mapping[str, Any]) -> str:
    [resource] = rule["resources"]
    return f'has "{resource.removesuffix("s")}" .Values.suspends'


def _of_sources(rule: Mapping[str, Any]) -> str:
    """When an operator needs that rule; empty for always."""
    [group, *_], [resource, *_] = rule["apiGroups"], rule["resources"]
    if resource == "gangs" and "create" in rule["verbs"]:
        return _MAKES_GANGS
    if group == _WORKLOADS.group:
        return f'has "{Source.WORKLOAD}" .Values.sources'
    return _READS_OWNERS.get((group, resource.removesuffix("/status")), "")

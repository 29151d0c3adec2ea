"""Rules that an operator needs only for some sources: when the chart's role has which."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from lockstep.api.podgang.owners import OWNERS

_INDENT = "  "
# A rule begins with the comment above it, if it has one.
_RULE = re.compile(rf"^(?:{_INDENT}#.*\n)*{_INDENT}- (?:.*\n?)(?:{_INDENT}  .*\n?)*", re.MULTILINE)
_MAKES_GANGS = 'without .Values.sources "pods"'
_READS_OWNERS = {
    (one.api_version.partition("/")[0], one.plural): f'has "{source}" .Values.sources' for source, one in OWNERS.items()
}


def with_sources(rules: str) -> str:
    """The text of a role's rules, each in the condition under which an operator of these sources needs it."""
    return _RULE.sub(lambda found: _conditional(found[0]), rules)


def _conditional(text: str) -> str:
    [rule] = yaml.safe_load(text)
    condition = _condition(rule)
    if not condition:
        return text
    return f"{_INDENT}{{{{- if {condition} }}}}\n{text.rstrip()}\n{_INDENT}{{{{- end }}}}\n"


def _condition(rule: Mapping[str, Any]) -> str:
    """When an operator needs that rule; empty for always."""
    [group, *_], [resource, *_] = rule["apiGroups"], rule["resources"]
    if resource == "gangs" and "create" in rule["verbs"]:
        return _MAKES_GANGS
    return _READS_OWNERS.get((group, resource), "")

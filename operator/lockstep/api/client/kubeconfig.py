"""Finds the mistake in a kubeconfig, and reads fields that the ``kubernetes`` package ignores."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from kubernetes.config import kube_config

_MOST_NAMED = 20


def usual_kubeconfig() -> str:
    """The kubeconfig that is used if none is named: one path, or several paths separated by colons."""
    return str(kube_config.KUBE_CONFIG_DEFAULT_LOCATION)


def impersonation(kubeconfig: str, context: str | None) -> list[tuple[str, str]]:
    """The headers of requests for a user who acts as another one, by the fields ``as`` and ``as-…`` of the user.

    Without these headers, requests would have rights that the kubeconfig gives up.
    """
    contexts, current = kube_config.list_kube_config_contexts(config_file=kubeconfig)
    chosen = next((one for one in contexts if one["name"] == context), current)
    users = (one.value for one in kube_config.KubeConfigMerger(kubeconfig).config.value["users"])
    named: Mapping[str, Any] = next((one for one in users if one["name"] == chosen["context"].get("user")), {})
    return list(_headers(named.get("user") or {}))


def _headers(user: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for field, header in (("as", "Impersonate-User"), ("as-uid", "Impersonate-Uid")):
        if user.get(field):
            yield header, str(user[field])
    for group in user.get("as-groups") or ():
        yield "Impersonate-Group", str(group)
    for key, values in (user.get("as-user-extra") or {}).items():
        yield from ((f"Impersonate-Extra-{quote(str(key), safe='')}", str(value)) for value in values)


def what_is_wrong(kubeconfig: str, context: str | None) -> str:
    """A sentence about the mistake in a kubeconfig, without a period; '' if no mistake is found.

    The sentence names the file. If the context is missing, it also names up to 20 contexts that exist.
    """
    files = [Path(one).expanduser() for one in kubeconfig.split(os.pathsep) if one]
    there = [one for one in files if one.is_file()]
    if not there:
        return f"there is no kubeconfig {kubeconfig}"
    documents = [_read(one) for one in there]
    for file, document in zip(there, documents, strict=True):
        if not isinstance(document, Mapping) or not isinstance(document.get("clusters"), list):
            return f"{file} is not a kubeconfig: it has no list of clusters"
    names = [name for document in documents for name in _contexts(document)]
    wanted = context or next((it["current-context"] for it in documents if it.get("current-context")), None)
    if wanted in names:
        return ""
    missing = f"no context {wanted}" if wanted else "no current context"
    return f"{kubeconfig} has {missing}; {_listed(names)}"


def _read(file: Path) -> Any:
    """The document in the file; None if it can't be read."""
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return None


def _contexts(document: Mapping[str, Any]) -> list[str]:
    contexts = document.get("contexts")
    named = contexts if isinstance(contexts, list) else []
    return [str(one["name"]) for one in named if isinstance(one, Mapping) and "name" in one]


def _listed(names: list[str]) -> str:
    if not names:
        return "it has no contexts"
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"it has {', '.join(sorted(names)[:_MOST_NAMED])}{more}"

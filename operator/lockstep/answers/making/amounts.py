"""Parses the resources of a member by the API server's rules for names and amounts."""

import re
from collections.abc import Mapping
from decimal import Decimal

from lockstep.api.quantities import decimal

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_PAGES = "hugepages-"
_NATIVE = "kubernetes.io/"
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_DOMAIN = 253


def parse_amounts(text: str) -> dict[str, str]:
    """Parse ``cpu=4,memory=8Gi`` into amounts by resource.

    Raises ``ValueError`` if the API server would refuse them.
    """
    amounts: dict[str, str] = {}
    for one in text.split(","):
        resource, equals, amount = (part.strip() for part in one.partition("="))
        if not (resource and equals and amount):
            raise ValueError(f"{one.strip()!r} is not a request such as cpu=4 or memory=8Gi")
        if resource in amounts:
            raise ValueError(f"{resource} is given twice")
        _check(resource, decimal(amount), amount)
        amounts[resource] = amount
    if any(one.startswith(_PAGES) for one in amounts) and not {"cpu", "memory"} & amounts.keys():
        raise ValueError("huge pages are allowed only with cpu or memory")
    return amounts


def as_resources(amounts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The requests and limits of a container.

    A resource that can't be overcommitted needs a limit; the API server then makes the request equal to the limit.
    """
    requests = {name: amount for name, amount in amounts.items() if name in _STANDARD}
    limits = {name: amount for name, amount in amounts.items() if name not in _STANDARD}
    return {**({"requests": requests} if requests else {}), **({"limits": limits} if limits else {})}


def _check(resource: str, amount: Decimal, text: str) -> None:
    if amount < 0:
        raise ValueError(f"{resource}={text} is negative")
    if resource.startswith(_PAGES):
        _check_pages(resource, amount, text)
    elif resource not in _STANDARD:
        _check_extended(resource, amount, text)


def _check_pages(resource: str, amount: Decimal, text: str) -> None:
    page = decimal(resource.removeprefix(_PAGES))
    if page <= 0 or amount % page:
        raise ValueError(f"{resource}={text} is not a whole number of pages")


def _check_extended(resource: str, amount: Decimal, text: str) -> None:
    domain, slash, name = resource.rpartition("/")
    if not slash or _NATIVE in resource:
        known = ", ".join(_STANDARD)
        raise ValueError(f"{resource} is not a resource: write {known}, or a name such as nvidia.com/gpu")
    is_name = _NAME.fullmatch(name) and _DOMAIN.fullmatch(domain) and len(f"requests.{domain}") <= _LONGEST_DOMAIN
    if not is_name or resource.startswith("requests."):
        raise ValueError(f"{resource} is not the name of a resource")
    if amount % 1:
        raise ValueError(f"{resource}={text} is not a whole number")

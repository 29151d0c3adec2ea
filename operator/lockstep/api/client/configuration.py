"""Finds the API server and the credentials."""

import re
import ssl
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any

import aiohttp
import yaml
from kubernetes import client
from kubernetes.config import list_kube_config_contexts, load_incluster_config, load_kube_config
from kubernetes.config.config_exception import ConfigException

from lockstep.api.client.instance import user_agent
from lockstep.api.client.kubeconfig import impersonation, usual_kubeconfig, what_is_wrong
from lockstep.api.client.request_log import log_answer

_OWN_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_DEFAULT_NAMESPACE = "default"
# A name begins with a letter or a digit, so no object has this name.
_NO_NAME = "-"

# The verb of watches in metrics. Their HTTP method is GET.
WATCH = "WATCH"

StreamObserver = Callable[[str, int], None]
"""Called twice for every watch: with its resource and 0 when it is requested, and with the HTTP code of its answer."""

RequestObserver = Callable[[str, str, int, float], None]
"""Called for every answered request, with its verb, resource, HTTP code and duration in seconds."""


class Configuration(client.Configuration):
    """The configuration of the ``kubernetes`` package. ``source`` says in words where it was read.

    Every request has the headers ``impersonation``.
    """

    source = "the configuration"

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.impersonation: list[tuple[str, str]] = []
        # Otherwise it would be the proxy in the environment. Only the `proxy-url` of a kubeconfig counts.
        self.proxy = None


class ConfigError(Exception):
    """The API server or the credentials can't be found; the message says why."""


def load_configuration(*, kubeconfig: str | None, context: str | None) -> Configuration:
    """Find the API server and the credentials. Raises ``ConfigError``.

    The source is the named kubeconfig. If only a context is named, the source is the usual kubeconfig. If neither is
    named, it is the pod's service account; outside a pod, it is the usual kubeconfig.
    """
    configuration = Configuration()
    try:
        configuration.source = _load_into(configuration, kubeconfig, context)
    # The library does not check the types of fields, so it may raise many kinds of errors.
    except (ConfigException, OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        file = kubeconfig or usual_kubeconfig()
        why = what_is_wrong(file, context) or f"{file} can't be used: {str(error).strip().splitlines()[0]}"
        outside = " (and this process has no service account)" if kubeconfig is None and context is None else ""
        raise ConfigError(f"{why}{outside}") from error
    # These are checked here, so that an error can name their source.
    _check_proxy(configuration)
    tls_context(configuration)
    return configuration


def _check_proxy(configuration: Configuration) -> None:
    """Raise ``ConfigError`` if requests can't be sent through the proxy of the configuration."""
    proxy = configuration.proxy
    if proxy is not None and not str(proxy).startswith(("http://", "https://")):
        raise ConfigError(f"the proxy-url of {configuration.source} must begin with http:// or https://")


def _load_into(configuration: Configuration, kubeconfig: str | None, context: str | None) -> str:
    """Fill in the configuration; returns its source in words."""
    if kubeconfig is None and context is None:
        try:
            load_incluster_config(client_configuration=configuration)
        except ConfigException:
            load_kube_config(client_configuration=configuration)
            configuration.impersonation = impersonation(usual_kubeconfig(), None)
            return usual_kubeconfig()
        return "the pod's service account"
    load_kube_config(config_file=kubeconfig, context=context, client_configuration=configuration)
    configuration.impersonation = impersonation(kubeconfig or usual_kubeconfig(), context)
    return kubeconfig or usual_kubeconfig()


def usual_namespace(*, kubeconfig: str | None, context: str | None) -> str:
    """The namespace to use if the user names none: the pod's namespace, the context's namespace, or ``default``.

    The pod counts only if neither a kubeconfig nor a context is named.
    """
    own = own_namespace() if kubeconfig is None and context is None else None
    if own is not None:
        return own
    try:
        contexts, current = list_kube_config_contexts(config_file=kubeconfig)
    except (ConfigException, OSError, ValueError, TypeError, yaml.YAMLError):
        # The next connection will report this error.
        return _DEFAULT_NAMESPACE
    named = [one for one in contexts if one["name"] == context] if context else [current]
    return str(named[0].get("context", {}).get("namespace") or _DEFAULT_NAMESPACE) if named else _DEFAULT_NAMESPACE


def own_namespace() -> str | None:
    """The namespace of the pod in which this process runs; None outside a cluster."""
    try:
        return _OWN_NAMESPACE.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def tls_context(configuration: Configuration) -> ssl.SSLContext | bool:
    """The TLS context of the configuration; True, which is aiohttp's default, for a server without TLS.

    Raises ``ConfigError``.
    """
    if not configuration.host.startswith("https"):
        return True
    with _readable(f"the certificate authority of {configuration.source}"):
        context = ssl.create_default_context(cafile=configuration.ssl_ca_cert)
    if not configuration.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if configuration.cert_file:
        with _readable(f"the client certificate and key of {configuration.source}"):
            context.load_cert_chain(configuration.cert_file, configuration.key_file)
    return context


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Raise ``ConfigError`` if the block can't read files, or if their contents are invalid."""
    try:
        yield
    except ssl.SSLError as error:
        says = re.sub(r"^\[.*?\] | \(_ssl\.c:.*\)$", "", error.strerror or "nothing")
        raise ConfigError(f"{what} can't be read (OpenSSL says: {says})") from error
    except OSError as error:
        raise ConfigError(f"{what} can't be read: {error.strerror}") from error


def observed_session(
    configuration: Configuration,
    streams: StreamObserver,
    requests: RequestObserver,
    *,
    unlisted: Collection[str] = (),
) -> aiohttp.ClientSession:
    """A session for a framework with its own watches. It has our credentials, and reports requests to the observers.

    Lists of ``unlisted`` resources are empty, but have resource versions from the API server. The token is not renewed:
    make another session before it expires.
    """
    token = configuration.get_api_key_with_prefix("BearerToken", alias="authorization")
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=tls_context(configuration)),
        headers=[
            ("User-Agent", user_agent()),
            *([("Authorization", token)] if token else []),
            *configuration.impersonation,
        ],
        trace_configs=[_watch_trace(streams), _request_trace(requests)],
        middlewares=[_without_objects(unlisted)],
        proxy=configuration.proxy,
        trust_env=False,
    )


def _without_objects(unlisted: Collection[str]) -> aiohttp.ClientMiddlewareType:
    """A middleware that makes lists of these resources empty: it asks for a name that no object has."""

    async def ask(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
        if request.url.name in unlisted and "watch" not in request.url.query:
            request.url = request.url.update_query(fieldSelector=f"metadata.name={_NO_NAME}")
        return await handler(request)

    return ask


def _watch_trace(observer: StreamObserver) -> aiohttp.TraceConfig:
    async def asked(_session: object, _context: object, request: aiohttp.TraceRequestStartParams) -> None:
        if "watch" in request.url.query:
            observer(request.url.name, 0)

    async def answered(_session: object, _context: object, request: aiohttp.TraceRequestEndParams) -> None:
        if "watch" in request.url.query:
            observer(request.url.name, request.response.status)

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(asked)
    trace.on_request_end.append(answered)
    return trace


def _request_trace(observer: RequestObserver) -> aiohttp.TraceConfig:
    async def asked(_session: object, context: SimpleNamespace, _request: aiohttp.TraceRequestStartParams) -> None:
        context.started = monotonic()

    async def answered(_session: object, context: SimpleNamespace, request: aiohttp.TraceRequestEndParams) -> None:
        verb = WATCH if "watch" in request.url.query else request.method
        seconds = monotonic() - context.started
        observer(verb, request.url.name, request.response.status, seconds)
        log_answer(verb, request.url.path, request.response.status, seconds)

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(asked)
    trace.on_request_end.append(answered)
    return trace

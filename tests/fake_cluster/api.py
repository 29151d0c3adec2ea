"""An API server in the test's own process: as much of the API as the operator uses, and faults on demand."""

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from fake_cluster.resizing import ANOTHER_POD, qos_class, resized
from fake_cluster.stamps import stamped
from fake_cluster.store import Place, Store
from lockstep.api.client.configuration import Configuration
from lockstep.api.quantities import rfc3339

POST, PATCH, PUT, DELETE, GET = "POST", "PATCH", "PUT", "DELETE", "GET"
DRY_RUN = "DRY RUN"
_BOOKMARK_SECONDS = 55.0


class Request(NamedTuple):
    """One request: ``resource`` is written as in metrics, such as ``pods/binding``."""

    verb: str
    resource: str
    name: str

    @property
    def is_write(self):
        """Whether the request changes something."""
        return self.verb not in (GET, DRY_RUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The request is not carried out; the answer says so."""

    code: int
    message: str = "no"
    details: dict = field(default_factory=dict)


class Page(NamedTuple):
    """The request does not reach the API server: a proxy answers with a page of its own."""

    code: int
    content: bytes
    content_type: str


class Odd(NamedTuple):
    """The request is not carried out; the answer is a success with something else than was asked for."""

    body: dict


class Cut(NamedTuple):
    """The connection breaks; ``is_done`` says whether the request was carried out before."""

    is_done: bool


# Others can mend it, and it says nothing of the pod.
REFUSED = Refusal(
    code=403,
    message='pods is forbidden: error looking up service account default/default: serviceaccount "default" not found',
)
NEVER_ARRIVED = Cut(is_done=False)
ANSWER_LOST = Cut(is_done=True)


@dataclass(slots=True)
class FakeApi:
    """Serves ``store`` inside ``async with``.

    ``fault`` answers before each request what is to go wrong with it. ``admit`` answers what becomes of a pod, or why
    it is refused; ``admit_resize`` does so for one that is resized. ``admit_patch`` answers what becomes of an object
    that is patched, by its place and what it would be. With ``lingers``, pods that are on a node stay when deleted,
    marked, as they do until their kubelet agrees; unless ``stops``, no kubelet ends what has been active for too long.
    ``log`` is asked for the chunks of a pod's log, by its name and what is asked; they may come one by one.
    ``may_write_statuses`` answers whether a user may, in all namespaces.
    """

    now: object
    store: Store = field(init=False)
    requests: list = field(default_factory=list)
    fault: object = lambda _: None
    admit: object = lambda pod: pod
    admit_resize: object = lambda pod: pod
    admit_patch: object = lambda _place, changed: changed
    lingers: bool = False
    stops: bool = True
    log: object = lambda _name, _asked: Refusal(code=404, message="no kubelet")
    may_write_statuses: bool = True
    _server: RawTestServer = field(init=False)
    _bookmarks: asyncio.TimerHandle = field(init=False)

    def __post_init__(self):
        self.store = Store(self.now)

    async def __aenter__(self):
        self._server = RawTestServer(self._serve)
        await self._server.start_server()
        self._put_bookmarks()
        return self

    async def __aexit__(self, *_):
        self._bookmarks.cancel()
        self.store.end_watches()
        await self._server.close()

    @property
    def configuration(self):
        """How a client finds this server."""
        configuration = Configuration()
        configuration.host = str(self._server.make_url("")).rstrip("/")
        return configuration

    @property
    def writes(self):
        """The requests so far that change something."""
        return [request for request in self.requests if request.is_write]

    async def _serve(self, http):
        place, part = parse_path(http.path)
        resource = f"{place.resource}/{part}" if part else place.resource
        if "watch" in http.query:
            return await self._stream(http, place.resource)
        body = await http.read()
        request = Request(DRY_RUN if "dryRun" in http.query else http.method, resource, place.name)
        self.requests.append(request)
        fault = self.fault(request)
        if isinstance(fault, (Refusal, Page, Odd)):
            return instead(fault)
        if part == "log":
            asked = dict(http.query)
            log = self.log(place.name, asked)
            return await self._show_log(http, stamped(log, asked) if "timestamps" in asked else log)
        if fault != NEVER_ARRIVED:
            code, content = self._carry_out(http, place, part, orjson.loads(body or b"{}"))
        if fault is not None:
            http.transport.abort()
            return web.Response()
        return answer(code, content)

    def _carry_out(self, http, place, part, body):
        if http.method == GET:
            return self._read(http, place)
        if part in ("binding", "resize"):
            is_dry = "dryRun" in http.query
            return self._bind(place, body, is_dry=is_dry) if part == "binding" else self._resize(place, body)
        if part == "eviction":
            return self._delete(place, body["deleteOptions"])
        if http.method == POST:
            return self._create(place, body, is_dry="dryRun" in http.query)
        if http.method in (PATCH, PUT):
            is_dry = "dryRun" in http.query
            return self._patch(place, body, is_dry=is_dry) if http.method == PATCH else self._replace(place, body)
        return self._delete(place, body)

    def _read(self, http, place):
        if place.name:
            found = self.store.get(place)
            return (200, found) if found else not_found(place)
        terms = [term for term in http.query.get("labelSelector", "").split(",") if term]
        items = [
            it
            for it in self.store.objects(place.resource, place.namespace)
            if all(holds(term, it["metadata"].get("labels", {})) for term in terms)
        ]
        return 200, {"metadata": {"resourceVersion": str(self.store.version)}, "items": items}

    def _create(self, place, body, *, is_dry):
        if place.resource == "selfsubjectaccessreviews":
            return 201, {"status": {"allowed": self.may_write_statuses}}
        place = place._replace(name=body["metadata"]["name"])
        if self.store.get(place):
            return 409, {"reason": "AlreadyExists", "message": f"{place.resource} {place.name} already exists"}
        if place.resource == "gangjobs":
            body["metadata"]["generation"] = 1
        if place.resource == "pods":
            body = self.admit({**body, "status": {"phase": "Pending"}})
            if isinstance(body, Refusal):
                return body.code, {"message": body.message}
            body["status"]["qosClass"] = qos_class(body["spec"])
        if is_dry:
            return 201, {
                **body,
                "metadata": {"creationTimestamp": rfc3339(self.now()), "uid": "dry", **body["metadata"]},
            }
        return 201, self.store.create(place.resource, body)

    def _bind(self, place, body, *, is_dry):
        pod = self.store.get(place)
        if pod is None:
            return not_found(place)
        if pod["metadata"]["uid"] != body["metadata"]["uid"] or "nodeName" in pod["spec"]:
            return 409, {"message": f"pod {place.name} is already assigned to a node, or is another one"}
        if not is_dry:
            annotations = {**pod["metadata"].get("annotations", {}), **body["metadata"].get("annotations", {})}
            self.store.change(place, metadata={"annotations": annotations}, spec={"nodeName": body["target"]["name"]})
        return 201, {"kind": "Status", "status": "Success"}

    def _resize(self, place, body):
        known = self.store.get(place)
        if known is None:
            return not_found(place)
        pod = resized(known, body)
        pod = pod if isinstance(pod, str) else self.admit_resize(pod)
        if isinstance(pod, str):
            return 422, {"reason": "Invalid", "message": pod}
        if isinstance(pod, Refusal):
            return pod.code, {"message": pod.message}
        return 200, (known if pod == known else self.store.replace(place, pod))

    def _patch(self, place, body, *, is_dry):
        known = self.store.get(place)
        if known is None:
            return not_found(place)
        wanted = body.pop("metadata", {})
        marks = {key: wanted.pop(key) for key in ("annotations", "labels") if key in wanted}
        owners = wanted.pop("ownerReferences", None)
        if place.resource == "pods" and wanted.get("uid", known["metadata"]["uid"]) != known["metadata"]["uid"]:
            return 422, {"reason": "Invalid", "message": ANOTHER_POD}
        if any(wanted[field] != known["metadata"][field] for field in wanted):
            return 409, {"reason": "Conflict", "message": "the object has been modified"}
        changed = {**known, **{part: merged(known.get(part, {}), body[part]) for part in body}}
        for key, words in marks.items():
            changed["metadata"] = {**changed["metadata"], key: merged(known["metadata"].get(key, {}), words)}
        if owners:
            changed["metadata"] = {**changed["metadata"], "ownerReferences": owners}
        if self.stops and changed["spec"].get("activeDeadlineSeconds") and changed["spec"].get("nodeName"):
            changed["status"] = {**changed["status"], "phase": "Failed", "reason": "DeadlineExceeded"}
        changed = self.admit_patch(place, changed)
        if is_dry:
            return 200, changed
        return 200, (known if changed == known else self.store.replace(place, changed))

    def _replace(self, place, body):
        known = self.store.get(place)
        if known is None:
            return not_found(place)
        if body["metadata"]["resourceVersion"] != known["metadata"]["resourceVersion"]:
            return 409, {"reason": "Conflict", "message": "the object has been modified"}
        return 200, self.store.replace(place, {**known, **body, "metadata": {**known["metadata"], **body["metadata"]}})

    def _delete(self, place, body):
        known = self.store.get(place)
        if known is None:
            return not_found(place)
        if any(known["metadata"][field] != wanted for field, wanted in body["preconditions"].items()):
            return 409, {"reason": "Conflict", "message": "the precondition is not met"}
        if self.lingers and known["spec"].get("nodeName"):
            grace = body.get("gracePeriodSeconds", known["spec"].get("terminationGracePeriodSeconds", 30))
            ends = rfc3339(self.now() + grace)
            # The grace period of what is being deleted can be made shorter, and not longer.
            self.store.change(
                place, metadata={"deletionTimestamp": min(ends, known["metadata"].get("deletionTimestamp", ends))}
            )
        else:
            self.store.remove(place)
        return 200, {"kind": "Status", "status": "Success"}

    async def _show_log(self, http, log):
        if isinstance(log, Refusal):
            return answer(log.code, {"message": log.message})
        response = web.StreamResponse()
        await response.prepare(http)
        try:
            async for chunk in log:
                await response.write(chunk)
        except ConnectionResetError:
            http.transport.abort()
        return response

    def _put_bookmarks(self):
        """Send each watch a bookmark about once a minute, as API servers do."""
        self.store.put_bookmarks()
        self._bookmarks = asyncio.get_running_loop().call_later(_BOOKMARK_SECONDS, self._put_bookmarks)

    async def _stream(self, http, resource):
        response = web.StreamResponse()
        await response.prepare(http)
        queue = self.store.watch(resource, int(http.query["resourceVersion"]))
        try:
            while (event := await queue.get()) is not None:
                await response.write(orjson.dumps(event) + b"\n")
        finally:
            self.store.unwatch(queue)
        return response


def merged(known, patch):
    """Merge as RFC 7396 has it: null removes, objects are merged, everything else is replaced."""
    result = dict(known)
    for name, value in patch.items():
        before = known.get(name)
        result[name] = merged(before if isinstance(before, dict) else {}, value) if isinstance(value, dict) else value
    return {name: value for name, value in result.items() if value is not None}


def holds(term, labels):
    """Whether labels have what a term of a selector asks for: a value, or any value where it names none."""
    label, is_equal, value = term.partition("=")
    return labels.get(label) == value if is_equal else label in labels


def parse_path(path):
    """The place that a path of the API names, and which part of the object ('' for all of it)."""
    words = path.strip("/").split("/")
    words = words[2:] if words[0] == "api" else words[3:]
    namespace = ""
    if words[0] == "namespaces" and len(words) > 1:
        namespace, words = words[1], words[2:]
    resource, name, part = (*words, "", "")[:3]
    return Place(resource, namespace, name), part


def not_found(place):
    """The answer where nothing is."""
    details = {"name": place.name, "kind": place.resource}
    return 404, {"reason": "NotFound", "message": f'{place.resource} "{place.name}" not found', "details": details}


def instead(fault):
    """The answer in place of the right one."""
    if isinstance(fault, Page):
        return web.Response(status=fault.code, body=fault.content, content_type=fault.content_type)
    if isinstance(fault, Odd):
        return answer(200, fault.body)
    return answer(fault.code, {"message": fault.message, "details": fault.details})


def answer(code, content):
    """An answer in JSON."""
    return web.Response(status=code, body=orjson.dumps(content), content_type="application/json")

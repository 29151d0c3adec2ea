import hashlib
import http.server
import io
import json
import tarfile
import threading

import pytest

from sandbox.binaries.download import (
    Download,
    DownloadError,
    UnreachableError,
    digest_in_github_release,
    digest_in_text,
    fetch,
)
from sandbox.ports import KeptPort

PROGRAM = b"the program's bytes"


class Server(http.server.BaseHTTPRequestHandler):
    files: dict[str, bytes]

    def do_GET(self):
        content = self.files.get(self.path)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_args):
        """Write nothing to the terminal."""


@pytest.fixture
def publish(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    files = {}
    handler = type("Handler", (Server,), {"files": files})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()

        def put(path, content):
            files[path] = content
            return f"http://127.0.0.1:{server.server_port}{path}"

        yield put
        server.shutdown()
        thread.join()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def plain(publish, *, digest):
    url = publish("/tool", PROGRAM)
    digest_url = publish("/tool.sha256", digest.encode())
    return Download(url=url, digest_url=digest_url, read_digest=digest_in_text)


@pytest.mark.parametrize("layout", ["{}", "{}\n", "{}  tool\n"])
def test_download_with_the_published_digest_is_taken(publish, tmp_path, layout):
    fetch(plain(publish, digest=layout.format(sha256(PROGRAM))), tmp_path / "tool")

    assert (tmp_path / "tool").read_bytes() == PROGRAM
    assert [path.name for path in tmp_path.iterdir()] == ["tool"]


@pytest.mark.parametrize(
    ("digest", "want_reason"),
    [
        pytest.param("0" * 64, "its publisher states 0000", id="another digest"),
        pytest.param("<html>busy</html>", "names no SHA-256 of tool", id="no digest"),
    ],
)
def test_download_without_a_matching_digest_is_refused(publish, tmp_path, digest, want_reason):
    with pytest.raises(DownloadError, match=want_reason):
        fetch(plain(publish, digest=digest), tmp_path / "tool")

    assert list(tmp_path.iterdir()) == []


def test_file_that_is_not_published_is_refused(publish, tmp_path):
    present = plain(publish, digest=sha256(PROGRAM))
    absent = Download(url=f"{present.url}-gone", digest_url=present.digest_url, read_digest=digest_in_text)

    with pytest.raises(DownloadError, match="/tool-gone answered 404") as refusal:
        fetch(absent, tmp_path / "tool")

    assert not isinstance(refusal.value, UnreachableError)
    assert list(tmp_path.iterdir()) == []


def test_host_that_does_not_answer_is_distinguished_from_one_that_refuses(tmp_path):
    kept_port = KeptPort()
    url = f"http://127.0.0.1:{kept_port.number}/tool"

    with pytest.raises(UnreachableError, match=f"127.0.0.1:{kept_port.number} cannot be reached"):
        fetch(Download(url=url, digest_url=url, read_digest=digest_in_text), tmp_path / "tool")


def archive_with(member):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        entry = tarfile.TarInfo(member)
        entry.size = len(PROGRAM)
        archive.addfile(entry, io.BytesIO(PROGRAM))
    return content.getvalue()


def released(publish, archive):
    assets = [{"name": "other.tar.gz", "digest": f"sha256:{'0' * 64}"}]
    assets.append({"name": "tool.tar.gz", "digest": f"sha256:{sha256(archive)}"})
    return Download(
        url=publish("/tool.tar.gz", archive),
        digest_url=publish("/release", json.dumps({"assets": assets}).encode()),
        read_digest=digest_in_github_release,
        member="tool-v1/tool",
    )


def test_program_is_taken_out_of_a_released_archive(publish, tmp_path):
    fetch(released(publish, archive_with("tool-v1/tool")), tmp_path / "tool")

    assert (tmp_path / "tool").read_bytes() == PROGRAM
    assert [path.name for path in tmp_path.iterdir()] == ["tool"]


@pytest.mark.parametrize(
    "archive",
    [pytest.param(archive_with("elsewhere"), id="without the program"), pytest.param(b"no archive", id="broken")],
)
def test_archive_that_does_not_hold_the_program_is_refused(publish, tmp_path, archive):
    with pytest.raises(DownloadError):
        fetch(released(publish, archive), tmp_path / "tool")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "description",
    [b"busy", b"[]", b"{}", b'{"assets": [{"name": "other"}]}', b'{"assets": [{"name": "tool", "digest": null}]}'],
)
def test_release_without_the_digest_has_none(description):
    assert digest_in_github_release(description, "tool") is None

"""Official downloads. A file is used only if its SHA-256 digest is the digest that its publisher states."""

import hashlib
import json
import re
import shutil
import tarfile
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urlsplit

# In seconds. On a machine without the internet, downloads must fail soon, so that the programs are built instead.
STALL_SECONDS = 4.0
CHUNK_BYTES = 1 << 20


class DownloadError(Exception):
    """The download failed, or the file is not the published one. Another source must be tried."""


class UnreachableError(DownloadError):
    """The publisher's host does not answer. A request for another file of this host would wait in vain, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A published file, and the URL of its SHA-256 digest. ``member`` names the program inside a tar archive."""

    url: str
    digest_url: str
    read_digest: Callable[[bytes, str], str | None]
    member: str | None = None

    @property
    def host(self) -> str:
        """The host to which the first request goes."""
        return urlsplit(self.digest_url).netloc

    @property
    def asset(self) -> str:
        """The name of the file in its URL."""
        return PurePosixPath(self.url).name


def digest_in_text(published: bytes, _asset: str) -> str | None:
    """Return the first SHA-256 digest in a text; None if there is none."""
    found = re.search(rb"\b[0-9a-f]{64}\b", published)
    return found.group().decode() if found else None


def digest_in_github_release(published: bytes, asset: str) -> str | None:
    """Return the digest of ``asset`` in GitHub's description of a release."""
    try:
        digests = {entry["name"]: entry.get("digest") for entry in json.loads(published)["assets"]}
    except (ValueError, KeyError, TypeError):
        return None
    return (digests.get(asset) or "").removeprefix("sha256:") or None


def fetch(download: Download, target: Path) -> None:
    """Write the program to ``target``. Raises DownloadError, and then leaves no file at ``target``.

    The digest is requested first. The file is used only if its digest is equal to the published one.
    """
    received = target.with_name(f"{target.name}.received")
    try:
        expected = _published_digest(download)
        actual = _receive(download.url, received)
        if actual != expected:
            raise DownloadError(f"{download.url} has the SHA-256 {actual}, its publisher states {expected}")
        _take_out(received, download.member, target)
    except urllib.error.HTTPError as error:
        error.close()
        raise DownloadError(f"{error.url} answered {error.code}") from error
    except urllib.error.URLError as error:
        raise UnreachableError(f"{download.host} cannot be reached: {error.reason}") from error
    except (OSError, tarfile.TarError) as error:
        raise DownloadError(f"{download.url}: {error}") from error
    finally:
        received.unlink(missing_ok=True)


def _published_digest(download: Download) -> str:
    with _open(download.digest_url) as answer:
        digest = download.read_digest(answer.read(), download.asset)
    if digest is None:
        raise DownloadError(f"{download.digest_url} names no SHA-256 of {download.asset}")
    return digest


def _receive(url: str, target: Path) -> str:
    digest = hashlib.sha256()
    with _open(url) as answer, target.open("wb") as file:
        while chunk := answer.read(CHUNK_BYTES):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def _open(url: str) -> IO[bytes]:
    answer: IO[bytes] = urllib.request.build_opener().open(url, timeout=STALL_SECONDS)
    return answer


def _take_out(received: Path, member: str | None, target: Path) -> None:
    if member is None:
        received.rename(target)
        return
    with tarfile.open(received) as archive:
        try:
            content = archive.extractfile(member)
        except KeyError as error:
            raise DownloadError(f"the archive holds no {member}") from error
        if content is None:
            raise DownloadError(f"{member} in the archive is not a file")
        with content, target.open("wb") as file:
            shutil.copyfileobj(content, file)

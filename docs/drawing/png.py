"""A word in a PNG file, beside its picture: the chunk tEXt, which viewers leave alone."""

import struct
import zlib
from collections.abc import Iterator

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEYWORD = b"Source\0"


def with_source(picture: bytes, source: str) -> bytes:
    """The picture with a note of what it shows, in ASCII; it must have none yet."""
    chunks = list(_chunks(picture))
    body, end = chunks[:-1], chunks[-1]
    return _SIGNATURE + b"".join([*body, _chunk(b"tEXt", _KEYWORD + source.encode("ascii")), end])


def source_of(picture: bytes) -> str | None:
    """What the picture says that it shows."""
    for chunk in _chunks(picture):
        if chunk[4:8] == b"tEXt" and chunk[8:].startswith(_KEYWORD):
            return chunk[8 + len(_KEYWORD) : -4].decode("ascii")
    return None


def _chunks(picture: bytes) -> Iterator[bytes]:
    place = len(_SIGNATURE)
    while place < len(picture):
        (length,) = struct.unpack(">I", picture[place : place + 4])
        yield picture[place : place + length + 12]
        place += length + 12


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

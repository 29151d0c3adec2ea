"""How a line of the log is written: as text for people, or as one JSON object for machines.

Either way an event's sentence is one line, whatever the API server or a user put into it, and no token is in it.
"""

import json
import logging
import re
from datetime import UTC, datetime
from enum import StrEnum

GANG = "gang"
"""The field of a line that says which gang it is about."""
ATTEMPT = "attempt"
"""The field that says which attempt of that gang, where the line is about one."""

# A token after its scheme, and a JSON web token, which service accounts show. The latter begins where a word does, so
# that each character is looked at a few times at most, however long a tenant's words are.
_TOKENS = re.compile(r"(?i)(?<=bearer )[^\s'\",]{12,}|(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+")
_CONTROL_CHARACTERS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {
    0x0A: "\\n",
    0x09: "\\t",
}


class LogFormat(StrEnum):
    """The formats to choose from."""

    TEXT = "text"
    JSON = "json"


class TextFormat(logging.Formatter):
    """One line an event, and after it the traceback where there is one."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class calls it so
        """Put the gang and the attempt before the sentence."""
        gang, attempt = getattr(record, GANG, None), getattr(record, ATTEMPT, None)
        whom = "" if gang is None else f"{gang}: "
        which = "" if attempt is None else f"attempt {attempt}: "
        record.message = f"{whom}{which}{record.message}".translate(_CONTROL_CHARACTERS)
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Write it all, but for tokens."""
        return without_tokens(super().format(record))


class JsonFormat(logging.Formatter):
    """One JSON object a line; an event's traceback is in it."""

    def format(self, record: logging.LogRecord) -> str:
        """Write time, level, logger and message, and of gang, attempt and exception what there is."""
        about = {name: getattr(record, name) for name in (GANG, ATTEMPT) if hasattr(record, name)}
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **about,
            **({} if record.exc_info is None else {"exception": self.formatException(record.exc_info)}),
        }
        return json.dumps({name: _without_tokens(value) for name, value in fields.items()})


def _without_tokens(value: object) -> object:
    return without_tokens(value) if isinstance(value, str) else value


FORMATS: dict[LogFormat, type[logging.Formatter]] = {LogFormat.TEXT: TextFormat, LogFormat.JSON: JsonFormat}


def without_tokens(text: str) -> str:
    """The same text with every token in it left out."""
    return _TOKENS.sub("…", text)

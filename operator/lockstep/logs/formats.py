"""The formats of a log line: text, or one JSON object.

In both formats, the message is one line without tokens, whatever the API server or a user put into it.
"""

import json
import logging
import re
from datetime import UTC, datetime
from enum import StrEnum

GANG = "gang"
"""The field for the gang that a line is about."""
ATTEMPT = "attempt"
"""The field for the attempt that a line is about, if any."""

# A token after the scheme Bearer, or a JSON web token of a service account. A web token starts at a word boundary, so
# that the search takes linear time, also in long words of a tenant.
_TOKENS = re.compile(r"(?i)(?<=bearer )[^\s'\",]{12,}|(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+")
_CONTROL_CHARACTERS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {
    0x0A: "\\n",
    0x09: "\\t",
}


class LogFormat(StrEnum):
    """The formats of the log."""

    TEXT = "text"
    JSON = "json"


class TextFormat(logging.Formatter):
    """One line for each message, followed by its traceback if there is one."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class calls it so
        """Put the gang and the attempt before the message."""
        gang, attempt = getattr(record, GANG, None), getattr(record, ATTEMPT, None)
        of_gang = "" if gang is None else f"{gang}: "
        of_attempt = "" if attempt is None else f"attempt {attempt}: "
        record.message = f"{of_gang}{of_attempt}{record.message}".translate(_CONTROL_CHARACTERS)
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Format the record, without tokens."""
        return without_tokens(super().format(record))


class JsonFormat(logging.Formatter):
    """One JSON object in each line, with the traceback in it."""

    def format(self, record: logging.LogRecord) -> str:
        """Format time, level, logger and message, and the gang, attempt and exception if given."""
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
    """The text without the tokens in it."""
    return _TOKENS.sub("…", text)

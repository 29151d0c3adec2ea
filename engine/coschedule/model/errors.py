"""The exception for an invalid value; it names the field."""


class InvalidValueError(ValueError):
    """A field has an invalid value.

    ``field`` is the name of an attribute or a path such as ``nodes[2].dutyCycle``, "" for the whole value. ``message``
    says what the value must be.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field} {message}" if field else message)
        self.field = field
        self.message = message

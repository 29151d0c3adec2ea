"""The one exception that the engine raises, for values that make no sense."""


class InvalidValueError(ValueError):
    """A field has a value that it must not have.

    ``field`` is the attribute's name or a path such as ``nodes[2].dutyCycle``, "" for the whole; ``message`` says what
    the value must be.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field} {message}" if field else message)
        self.field = field
        self.message = message

"""The errors of sandboxes. Their texts are sentences for users."""


class SandboxError(Exception):
    """An error that a user has to know or correct. Its text is one sentence, which is shown without a traceback."""


class ApiError(SandboxError):
    """The API server refused a request."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"The API server answered {status}: {message}")
        self.status = status


class KubectlError(SandboxError):
    """kubectl failed. The text is kubectl's message."""


class HelmError(SandboxError):
    """Helm failed. The text is Helm's message."""

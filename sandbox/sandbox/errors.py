"""The errors of sandboxes. Their texts are sentences for users."""


class SandboxError(Exception):
    """An error that a user has to know or mend. Its text is one sentence, which is shown without a traceback."""


class ApiError(SandboxError):
    """The API server answered a request with a refusal."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"The API server answered {status}: {message}")
        self.status = status


class KubectlError(SandboxError):
    """kubectl ended with a failure; the text is what it wrote."""


class HelmError(SandboxError):
    """Helm ended with a failure; the text is what it wrote."""

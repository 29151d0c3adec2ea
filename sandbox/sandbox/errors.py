"""What can go wrong around a sandbox, as sentences for the person in front of the terminal."""


class SandboxError(Exception):
    """Something a person has to know or do; its text is one sentence, shown without a traceback."""


class ApiError(SandboxError):
    """The API server answered a request with a refusal."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"The API server answered {status}: {message}")
        self.status = status


class KubectlError(SandboxError):
    """kubectl ended with a failure; the text is what it wrote."""


class HelmError(SandboxError):
    """Helm ended with a failure; the text is what it wrote."""

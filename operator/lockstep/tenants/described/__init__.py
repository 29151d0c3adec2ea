"""Describes answers for ``kubectl explain`` and other programs: a schema of each kind, and the OpenAPI document."""

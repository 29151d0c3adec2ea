"""The operator: everything of Lockstep that talks to Kubernetes."""

__version__ = "0.1.0"

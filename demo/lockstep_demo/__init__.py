"""The demo: starts a control plane and the operator, and shows how gangs are placed."""

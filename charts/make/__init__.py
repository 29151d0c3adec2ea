"""What `make generate` writes into the chart: whatever has its source somewhere else.

The source of values and their documentation is `values.yaml`, of roles `operator/rbac.yaml`, of the kinds `crds/`.
"""

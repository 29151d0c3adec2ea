"""What `make generate` runs: the applied CRDs, their bounds and their reference, from the YAML files of this folder.

It stands beside the CRDs because it is part of their source: the YAML files here use shorthand that only this
package knows. `kubectl apply -f crds/` does not read it.
"""

"""Makes the pods of a gang and the objects beside them: labels, mounts, claims, gates and bindings."""

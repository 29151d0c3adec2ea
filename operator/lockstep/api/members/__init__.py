"""Makes the pods of a gang and what stands beside them: labels, mounts, claims, gates, bindings."""

"""Facts about objects in the cluster, independent of their manifests.

Facts are immutable values: ``api`` makes them, and ``belief`` keeps the newest version of each. All times are seconds
since the epoch, as floats; ``None`` means that the object does not state the value.
"""

"""Facts about objects in the cluster, independent of their manifests.

Facts are immutable values: ``api`` makes them, and ``belief`` keeps the newest version of each. Times are seconds since
the epoch, as floats except in ``records``. ``None`` means that the object does not state the value.
"""

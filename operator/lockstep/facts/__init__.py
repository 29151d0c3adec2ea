"""What can be known of the cluster, without its manifests' shapes.

Facts are values: ``api`` makes them, ``belief`` keeps the newest of each, and nothing changes one. All times are
seconds since the epoch, as floats; ``None`` means that the object does not say.
"""

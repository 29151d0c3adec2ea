"""Columns of a node that are not Kubernetes resources."""

# The blanks in these names keep them apart from all resource names of Kubernetes.
SLOTS = "bid slots"


HOST_PORT_PREFIX = "host port "


DISK_PREFIX = "disk "


# Volumes of a gang: the number of its members for which a node has volumes.
VOLUMES_PREFIX = "volumes of "


# A node that declares a feature has the amount ``WHOLE`` of it: more than all its pods together could take.
FEATURE_PREFIX = "declared feature "


# The amount of an exclusive column on every node: an exclusive user takes all of it, a sharing user takes 1.
WHOLE = 2**20

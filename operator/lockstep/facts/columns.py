"""Columns of a node's resources that are no Kubernetes resources."""

# The blanks in these names keep them apart from all resource names of Kubernetes.
SLOTS = "bid slots"


HOST_PORT_PREFIX = "host port "


DISK_PREFIX = "disk "


# How many members of a gang a node has volumes for.
VOLUMES_PREFIX = "volumes of "


# A node that declares a feature has more of it than all its pods together could take.
FEATURE_PREFIX = "declared feature "


# How much every node has of a column for something exclusive: an exclusive user takes all of it, a sharing one takes 1.
WHOLE = 2**20

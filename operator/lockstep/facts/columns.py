"""Columns of a node's resources that Kubernetes has no name for."""

# Columns of a node's resources that Kubernetes has no name for. The blank keeps them apart from all that it has.
SLOTS = "bid slots"


HOST_PORT_PREFIX = "host port "


DISK_PREFIX = "disk "


# How many members of a gang a node has volumes for.
VOLUMES_PREFIX = "volumes of "


# A node that declares a feature has more of it than all its pods together could take.
FEATURE_PREFIX = "declared feature "


# How much every node has of a column whose users exclude one another: they take all of it; who shares it takes 1.
WHOLE = 2**20

"""How many members the quotas of a namespace allow."""

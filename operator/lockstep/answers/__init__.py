"""Why, and what if? One look at a cluster, or a recorded one, planned as the operator plans, and told to a person."""

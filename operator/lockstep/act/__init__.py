"""From a decision to bound pods, or to no pods at all."""

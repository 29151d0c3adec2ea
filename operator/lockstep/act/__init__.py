"""From a decision to bound pods, or to nothing at all."""

"""Creates and reserves the claims of a gang, and selects their nodes."""

"""Creates the claims of a gang, and reserves their volumes or selects their nodes."""

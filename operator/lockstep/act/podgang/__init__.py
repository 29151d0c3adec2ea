"""Binds the pods of a Gang. Nothing here deletes a pod; ``act/evicting`` evicts pods where that is allowed."""

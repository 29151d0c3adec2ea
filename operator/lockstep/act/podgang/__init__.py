"""Binds the pods of a Gang. No code here deletes a pod; ``act/evicting`` evicts pods if that is allowed."""

"""Binds the pods of a Gang. Nothing here deletes or evicts a pod."""

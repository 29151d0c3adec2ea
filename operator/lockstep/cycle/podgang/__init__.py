"""Follows Gangs. Other controllers or users create their pods."""

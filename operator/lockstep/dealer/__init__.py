"""Deals the pieces of a gang's work to its members while they run: a small process beside rank 0.

``deal.py`` decides, and knows neither network nor clock. The standard library only.
"""

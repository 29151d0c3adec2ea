"""Deals the pieces of a gang's work to its members while they run: a small process in the pod of rank 0.

``deal.py`` decides which pieces a member gets, without network or clock. The dealer uses only the standard library.
"""

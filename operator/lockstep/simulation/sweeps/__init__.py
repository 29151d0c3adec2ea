"""Simulates many runs of one program, by policies of [C] 7.4.4 or as gangs, and pieces dealt to a gang's members."""

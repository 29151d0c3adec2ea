"""Every mechanism of the papers, and where it is in Lockstep: one module for each paper, in the order of the paper."""

"""Are the papers right, and does Lockstep do what they describe? Each paper's numbers beside ours, computed anew."""

"""Many runs of one program, by policies of [C] 7.4.4 and as gangs; pieces that are dealt before or while they run."""

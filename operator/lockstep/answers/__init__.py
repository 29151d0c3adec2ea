"""What people ask of a cluster: why, and what if, who waits, and what members write; and a gang that is put back."""

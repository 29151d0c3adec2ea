"""Why a plan is as it is: questions about one gang of a plan that was made, and about changes that would help it."""

"""Sentences of the API server that GangJobs and Gangs share."""

NOT_CHECKED = (
    ", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid;"
    " correct the existing errors to complete validation]"
)
PROFILE_RANGE = (
    "spec.work.profile: Invalid value: profile must cover a size that size allows, because Lockstep chooses no size"
    " outside the profile."
)

"""The fields of which not all shapes are legal: what a rule of the schema asks for is not what makes them costly."""

REFUSED = {
    "spec.successPolicy.role": "it names one of the gang's roles: a name that no role has is refused",
    "spec.roles[].startAfter": "each entry names another role, which itself waits for none",
    "spec.template.spec.restartPolicy": "it is Never or OnFailure, since members run to their end",
    "spec.roles[].startAfter[]": "it names another role, which itself waits for none",
}

"""What a label selector selects, one requirement after the other, as the documentation of Kubernetes says."""


def selects_one_by_one(selector, labels):
    """Whether a selector of requirements selects an object with these labels; None selects nothing."""
    return selector is not None and all(passes(one, labels.get(one.key)) for one in selector)


def passes(requirement, value):
    """Whether an object passes a requirement; what the API server refuses, none does."""
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return bool(requirement.values) and value not in requirement.values
        case "Exists":
            return not requirement.values and value is not None
        case "DoesNotExist":
            return not requirement.values and value is None
    return False

"""The API server refuses one entry or letter more than a GangJob may have, wherever that is, and names the place."""

from builders.oversize import bounds

# A role has the template that a gang without roles has, with a schema that is made in the same way.
BOUNDS = [bound for bound in bounds() if not bound.path.startswith("roles[0].template.")]


def test_api_server_refuses_whatever_is_too_large(answer_to_gang):
    assert len(BOUNDS) > 500

    unseen = [
        bound.path for bound in BOUNDS if not is_named(bound, answer_to_gang({"spec": bound.spec(bound.most + 1)}))
    ]

    assert unseen == []


def is_named(bound, answer):
    place = f"spec.{bound.path}".replace("[k0]", ".k0")
    too_long = f"{place}: Too long: may not be more than {bound.most} bytes"
    too_many = f"{place}: Too many: {bound.most + 1}: must have at most {bound.most} items"
    return too_long in answer or too_many in answer

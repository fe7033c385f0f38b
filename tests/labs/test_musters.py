"""Musters as rows: what becomes of one that meets a mistake of ours. Pages stand elsewhere."""

from __future__ import annotations

import pytest

from labs import musters
from labs.models import Muster
from tests.factories import make_user

pytestmark = pytest.mark.django_db


class BrokenEngine:
    """Fails as only a mistake of ours does."""

    def __init__(self, installation: str) -> None:
        self.installation = installation

    def resolve_image(self, reference: str) -> str:
        raise ValueError(f"a mistake about {reference}")


def test_a_mistake_of_ours_is_told_and_not_tried_for_ever(settings):
    settings.LAB_ENGINE = f"{__name__}.BrokenEngine"
    owner = make_user()
    musters.request_muster([owner], actor=owner)
    muster = Muster.objects.get()
    with pytest.raises(ValueError, match="a mistake"):
        musters.carry_out(muster.pk)
    muster.refresh_from_db()
    assert (muster.state, bool(muster.problem)) == (Muster.State.BAD, True)

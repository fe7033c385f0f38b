"""Pieces of pages: rendered once, filled for each reader."""

from __future__ import annotations

import pytest
from django.utils.safestring import SafeString

from course.slots import MAX_PIECE_CHARS, MAX_SHELF_CHARS, Piece, Shelf, render_piece, slot

TEMPLATE = "course/_gap_status.html"


def piece_of(chars: int) -> Piece:
    return Piece(("x" * chars,))


def test_a_piece_is_its_template_with_the_values_in_its_slots():
    piece = render_piece(TEMPLATE, {"gap_id": slot("id"), "status": slot("words")})
    filled = piece.fill({"id": "animal", "words": "saved &amp; sound"})
    assert isinstance(filled, SafeString)
    assert 'id="gap-animal-status"' in filled
    assert filled.rstrip().endswith(">saved &amp; sound</span>")


def test_a_value_can_hold_no_slot_since_nothing_is_read_twice():
    piece = render_piece(TEMPLATE, {"gap_id": "a", "status": slot("words")})
    sly = slot("words")
    assert str(sly) in piece.fill({"words": sly})


def test_a_slot_without_a_value_is_a_bug_that_shows():
    piece = render_piece(TEMPLATE, {"gap_id": "a", "status": slot("words")})
    with pytest.raises(KeyError):
        piece.fill({})


def test_a_shelf_makes_a_piece_once():
    shelf, made = Shelf(), []
    for _ in range(3):
        shelf.get_or_make("key", lambda: made.append(1) or piece_of(1))
    assert len(made) == 1


def test_a_shelf_keeps_those_used_last_within_its_room():
    shelf = Shelf()
    count = MAX_SHELF_CHARS // MAX_PIECE_CHARS
    for number in range(count):
        shelf.put(number, piece_of(MAX_PIECE_CHARS))
    assert shelf.get(0)
    shelf.put("one more", piece_of(MAX_PIECE_CHARS))
    assert shelf.get(0)
    assert shelf.get(1) is None
    assert shelf.get("one more")


def test_a_very_large_piece_is_not_kept():
    shelf = Shelf()
    shelf.put("large", piece_of(MAX_PIECE_CHARS + 1))
    assert shelf.get("large") is None


def test_a_piece_that_is_put_again_takes_its_room_once():
    shelf = Shelf()
    for _ in range(2 * MAX_SHELF_CHARS // MAX_PIECE_CHARS):
        shelf.put("same", piece_of(MAX_PIECE_CHARS))
    shelf.put("other", piece_of(MAX_PIECE_CHARS))
    assert shelf.get("same")

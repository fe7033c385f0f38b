"""How ids of rows stand in addresses: as numbers that the database can hold."""

from __future__ import annotations

from django.urls import register_converter


class IdConverter:
    """Django's own takes any number, at which a query fails. 18 digits are below 2 to the 63rd."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


def know_ids() -> None:
    """Addresses may say `<id:pk>` from here on."""
    register_converter(IdConverter, "id")

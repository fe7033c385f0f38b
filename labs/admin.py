"""The audit log in Django's own admin, to read: nobody adds, changes or removes an entry there."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from labs.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # not generic at run time
    list_display = ("at", "actor_name", "action", "subject", "subject_name")
    search_fields = ("actor_name", "action", "subject", "subject_name")
    exclude = ("actor",)  # may be an account that is gone; its name stays

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

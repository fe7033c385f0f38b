"""Django's own admin for people and classrooms.

Classes are only read here: who is in one and as what is changed on its own pages, which ask what a
form of rows can't and write down who did it. What an admin makes of people's accounts is written
down as well.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from course import people_audit
from course.models import Classroom, Membership, User
from course.people import signed_in
from course.privacy import erase_person
from labs.refusal import Refused


class ReadOnly:
    """For models that have pages of their own."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MembershipInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg] # not generic at run time
    model = Membership


@admin.register(Classroom)
class ClassroomAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg] # not generic at run time
    search_fields = ["name"]
    inlines = [MembershipInline]
    fields = ["name", "changed_here", "made_at", "archived_at", "time_zone", "retention_days"]
    readonly_fields = ["changed_here"]

    @admin.display(description=_("Changed on"))
    def changed_here(self, classroom: Classroom) -> SafeString:
        people = reverse("course:member-list", args=[classroom.pk])
        settings = reverse("course:classroom-settings", args=[classroom.pk])
        return format_html(
            '<a href="{}">{}</a> · <a href="{}">{}</a>',
            *(people, _("People"), settings, _("Settings")),
        )


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg] # not generic at run time
    """With the one right that makes a teacher. Every change of rights is in the audit log."""

    fieldsets = (*(UserAdmin.fieldsets or ()), (_("Teaching"), {"fields": ("may_teach",)}))
    list_filter = (*UserAdmin.list_filter, "may_teach")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        form.before = people_audit.facts_of(obj) if change else {}
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """After the account and its groups are written, in the same transaction."""
        super().save_related(request, form, formsets, change)
        people_audit.note_change(form.instance, actor=signed_in(request), before=form.before)

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        hashed = User.objects.filter(pk=id).values_list("password", flat=True).first()
        response = super().user_change_password(request, id, form_url)
        user = User.objects.filter(pk=id).first()
        if user and user.password != hashed:
            people_audit.note_passphrase(user, actor=signed_in(request))
        return response

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except Refused as no:
            messages.error(request, str(no))
            return redirect("admin:course_user_change", object_id)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """As on one's own page: with the lab, and written down."""
        erase_person(obj, actor=signed_in(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            try:
                erase_person(user, actor=signed_in(request))
            except Refused as no:
                messages.error(request, f"{user}: {no}")

"""Django's own admin for people and classrooms."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.utils.translation import gettext_lazy as _

from course.models import Classroom, Membership, User


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg] # not generic at run time
    model = Membership
    autocomplete_fields = ["user"]
    extra = 1


@admin.register(Classroom)
class ClassroomAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # not generic at run time
    search_fields = ["name"]
    inlines = [MembershipInline]


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg] # not generic at run time
    """With the one right that makes a teacher."""

    fieldsets = (*(UserAdmin.fieldsets or ()), (_("Teaching"), {"fields": ("may_teach",)}))
    list_filter = (*UserAdmin.list_filter, "may_teach")

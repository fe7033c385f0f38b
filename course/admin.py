"""Django's own admin for people and classrooms."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from course.models import Classroom, Membership, User


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg] # not generic at run time
    model = Membership
    autocomplete_fields = ["user"]
    extra = 1


@admin.register(Classroom)
class ClassroomAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # not generic at run time
    search_fields = ["name"]
    inlines = [MembershipInline]


admin.site.register(User, UserAdmin)

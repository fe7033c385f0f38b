"""Every address of the site, by the app that answers it."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("course.urls")),
    path("", include("labs.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
]

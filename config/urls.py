"""Every address of the site, by the app that answers it."""

from allauth.account import views as accounts
from django.contrib import admin
from django.urls import include, path

from course.views import signing_up

urlpatterns = [
    path("", include("course.urls")),
    path("", include("labs.urls")),
    # The rest of allauth's pages need a mail server, and students need no address.
    path("accounts/login/", accounts.login, name="account_login"),
    path("accounts/logout/", accounts.logout, name="account_logout"),
    path("accounts/signup/", signing_up.signup, name="account_signup"),
    path("accounts/inactive/", accounts.account_inactive, name="account_inactive"),
    path("admin/", admin.site.urls),
]

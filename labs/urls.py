"""Addresses of runs, their streams, labs and the admins' console."""

from django.urls import path

from labs import streams, views
from labs.console import urls as console

app_name = "labs"

urlpatterns = [
    path("runs/<uuid:run_id>/", views.run_detail, name="run-detail"),
    path("runs/<uuid:run_id>/output.txt", views.run_output, name="run-output"),
    path("runs/<uuid:run_id>/stop/", views.run_stop, name="run-stop"),
    path("streams/runs/<uuid:run_id>/", streams.run_events, name="run-events"),
    *console.urlpatterns,
]

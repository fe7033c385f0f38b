"""Addresses of runs, their streams and the admins' page."""

from django.urls import path

from labs import dashboard, streams, views

app_name = "labs"

urlpatterns = [
    path("runs/<uuid:run_id>/", views.run_detail, name="run-detail"),
    path("runs/<uuid:run_id>/output.txt", views.run_output, name="run-output"),
    path("runs/<uuid:run_id>/stop/", views.run_stop, name="run-stop"),
    path("streams/runs/<uuid:run_id>/", streams.run_events, name="run-events"),
    path("labs/", dashboard.lab_list, name="lab-list"),
    path("labs/<int:pk>/stop/", dashboard.lab_stop, name="lab-stop"),
]

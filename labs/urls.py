"""Addresses of runs, their streams, labs and the admins' console."""

from django.urls import path

from labs import file_urls, metrics_views, stream_urls, terminal_views, views
from labs.console import urls as console

app_name = "labs"

urlpatterns = [
    path("metrics", metrics_views.metrics_detail, name="metrics-detail"),
    path("runs/<uuid:run_id>/", views.run_detail, name="run-detail"),
    path("runs/<uuid:run_id>/output.txt", views.run_output, name="run-output"),
    path("runs/<uuid:run_id>/stop/", views.run_stop, name="run-stop"),
    path("runs/<uuid:run_id>/terminal/", views.run_in_terminal, name="run-in-terminal"),
    path("terminal/", terminal_views.terminal_detail, name="terminal-detail"),
    path("terminal/open/", terminal_views.terminal_open, name="terminal-open"),
    path("terminals/of/<str:username>/", terminal_views.terminal_list, name="terminal-list"),
    path("terminals/<uuid:session_id>/", terminal_views.terminal_replay, name="terminal-replay"),
    path(
        "terminals/<uuid:session_id>/recording.cast",
        terminal_views.terminal_cast,
        name="terminal-cast",
    ),
    path(
        "terminals/<uuid:session_id>/recording.txt",
        terminal_views.terminal_text,
        name="terminal-text",
    ),
    path(
        "terminals/<uuid:session_id>/watch/", terminal_views.terminal_watch, name="terminal-watch"
    ),
    path(
        "terminals/<uuid:session_id>/ticket/",
        terminal_views.terminal_ticket,
        name="terminal-ticket",
    ),
    *file_urls.urlpatterns,
    *console.urlpatterns,
    *stream_urls.urlpatterns,
]

"""Addresses of streams, which are looked up here alone: there are many pages before them."""

from django.urls import path

from labs import streams

urlpatterns = [
    path("streams/runs/<uuid:run_id>/", streams.run_events, name="run-events"),
]

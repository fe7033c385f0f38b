"""Addresses of the console, within those of `labs`."""

from django.urls import path

from labs.console import (
    audit_views,
    host_views,
    image_views,
    lab_views,
    limit_views,
    message_views,
    queue_views,
)

urlpatterns = [
    path("labs/", lab_views.lab_list, name="lab-list"),
    path("labs/bulk/", lab_views.lab_bulk, name="lab-bulk"),
    path("labs/<id:pk>/", lab_views.lab_detail, name="lab-detail"),
    path("labs/queue/", queue_views.queue_list, name="queue-list"),
    path("labs/queue/ring/", queue_views.queue_ring, name="queue-ring"),
    path("labs/hosts/", host_views.host_list, name="host-list"),
    path("labs/hosts/<id:host_id>/", host_views.host_edit, name="host-edit"),
    path("labs/hosts/<id:host_id>/drain/", host_views.host_drain, name="host-drain"),
    path("labs/limits/", limit_views.limit_list, name="limit-list"),
    path("labs/limits/edit/", limit_views.limit_edit, name="limit-edit"),
    path("labs/limits/remove/", limit_views.limit_remove, name="limit-remove"),
    path("labs/images/", image_views.image_list, name="image-list"),
    path("labs/images/build/<id:host_id>/", image_views.image_build, name="image-build"),
    path("labs/images/builds/<id:build_id>/", image_views.build_detail, name="build-detail"),
    path("labs/audit/", audit_views.audit_list, name="audit-list"),
    path("labs/message/read/", message_views.message_read, name="message-read"),
]

"""Addresses of a lab's own page and of its files through time."""

from django.urls import path

from labs import care_views, file_views, notice

urlpatterns = [
    path("lab/", care_views.my_lab, name="my-lab"),
    path("lab/notice/", notice.lab_notice, name="lab-notice"),
    path("lab/keep/", notice.lab_keep, name="lab-keep"),
    path("lab/files/", file_views.my_files, name="my-files"),
    path("lab/<id:pk>/", care_views.lab_care, name="lab-care"),
    path("lab/<id:pk>/wishes/", care_views.wish_create, name="wish-create"),
    path("lab/<id:pk>/wishes/<id:wish_id>/undo/", care_views.wish_undo, name="wish-undo"),
    path("lab/<id:pk>/files/", file_views.file_history, name="file-history"),
    path("lab/<id:pk>/files/difference/", file_views.file_difference, name="file-difference"),
    path(
        "lab/<id:pk>/files/<id:checkpoint_id>/",
        file_views.checkpoint_detail,
        name="checkpoint-detail",
    ),
    path("lab/<id:pk>/files/<id:checkpoint_id>/zip/", file_views.files_zip, name="files-zip"),
    path(
        "lab/<id:pk>/files/<id:checkpoint_id>/file/<path:name>",
        file_views.file_detail,
        name="file-detail",
    ),
    path(
        "lab/<id:pk>/files/<id:checkpoint_id>/download/<path:name>",
        file_views.file_download,
        name="file-download",
    ),
]

"""Addresses of lessons, classes and the reader's choices."""

from django.urls import include, path

from course.views import authors, design, help, home, lesson, reading

app_name = "course"

urlpatterns = [
    path("", home.home, name="home"),
    path("healthz", home.healthz, name="healthz"),
    path("readyz", home.readyz, name="readyz"),
    path("reading/", reading.reading, name="reading"),
    path("help/", help.help_ask, name="help"),
    path("classes/<id:pk>/help/<str:username>/", help.help_answer, name="help-answer"),
    path("design/", design.design, name="design"),
    path("authors/", authors.draft_list, name="draft-list"),
    path("authors/<slug:slug>/", authors.lesson_preview, name="lesson-preview"),
    path("lessons/<slug:slug>/", lesson.lesson_detail, name="lesson-detail"),
    path(
        "lessons/<slug:slug>/files/<slug:version>/<path:name>",
        lesson.lesson_file,
        name="lesson-file",
    ),
    path("lessons/<slug:slug>/track/", lesson.track_choose, name="track-choose"),
    path("lessons/<slug:slug>/guide/", lesson.guide_detail, name="guide-detail"),
    path("lessons/<slug:slug>/state/", authors.lesson_state, name="lesson-state"),
    path("lessons/<slug:slug>/answers/", lesson.answers_save, name="answers-save"),
    path("lessons/<slug:slug>/gaps/<str:gap_id>/", lesson.gap_save, name="gap-save"),
    path("lessons/<slug:slug>/blocks/<str:block_id>/", lesson.block_detail, name="block-detail"),
    path("lessons/<slug:slug>/blocks/<str:block_id>/run/", lesson.block_run, name="block-run"),
    path(
        "lessons/<slug:slug>/blocks/<str:block_id>/runs/",
        lesson.block_run_list,
        name="block-run-list",
    ),
    path("", include("course.class_urls")),
    path("", include("course.assignment_urls")),
]

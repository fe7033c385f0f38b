"""Addresses of assignments: set, handed in, marked, exported."""

from django.urls import path

from course.views import assignments, board, figures, gradebook, handins, marking, remarks, review

urlpatterns = [
    path("todo/", handins.todo, name="todo"),
    path("classes/<int:pk>/assignments/", assignments.assignment_list, name="assignment-list"),
    path(
        "classes/<int:pk>/assignments/new/",
        assignments.assignment_create,
        name="assignment-create",
    ),
    path("classes/<int:pk>/gradebook/", gradebook.class_gradebook, name="class-gradebook"),
    path(
        "classes/<int:pk>/gradebook.<str:kind>",
        gradebook.class_export,
        name="class-export",
    ),
    path(
        "assignments/<int:assignment_id>/",
        assignments.assignment_detail,
        name="assignment-detail",
    ),
    path(
        "assignments/<int:assignment_id>/edit/", assignments.assignment_edit, name="assignment-edit"
    ),
    path(
        "assignments/<int:assignment_id>/delete/",
        assignments.assignment_delete,
        name="assignment-delete",
    ),
    path(
        "assignments/<int:assignment_id>/extensions/",
        assignments.extension_give,
        name="extension-give",
    ),
    path(
        "assignments/<int:assignment_id>/extensions/take-back/",
        assignments.extension_take_back,
        name="extension-take-back",
    ),
    path(
        "assignments/<int:assignment_id>/release/",
        assignments.marks_release,
        name="marks-release",
    ),
    path("assignments/<int:assignment_id>/hand-in/", handins.hand_in_now, name="hand-in"),
    path("hand-ins/<int:handin_id>/", handins.handin_detail, name="handin-detail"),
    path("hand-ins/<int:handin_id>/withdraw/", handins.handin_withdraw, name="handin-withdraw"),
    path("hand-ins/<int:handin_id>/manifest.json", handins.handin_manifest, name="handin-manifest"),
    path("hand-ins/<int:handin_id>/ask/", remarks.remark_ask, name="remark-ask"),
    path("assignments/<int:assignment_id>/asked/", remarks.remark_list, name="remark-list"),
    path("remarks/<int:remark_id>/", remarks.remark_answer, name="remark-answer"),
    path("assignments/<int:assignment_id>/rubric/", remarks.rubric, name="rubric"),
    path("assignments/<int:assignment_id>/marking/", marking.marking, name="marking"),
    path(
        "assignments/<int:assignment_id>/marking/same/", marking.same_answers, name="same-answers"
    ),
    path(
        "assignments/<int:assignment_id>/marking/undo/",
        marking.same_answers_undo,
        name="same-answers-undo",
    ),
    path("assignments/<int:assignment_id>/key/", marking.new_key, name="new-key"),
    path("assignments/<int:assignment_id>/board/", board.board, name="board"),
    path("assignments/<int:assignment_id>/guide/", figures.class_guide, name="class-guide"),
    path("assignments/<int:assignment_id>/review/<str:username>/", review.review, name="review"),
    path(
        "assignments/<int:assignment_id>/gradebook/", gradebook.gradebook_detail, name="gradebook"
    ),
    path(
        "assignments/<int:assignment_id>/marks.<str:kind>",
        gradebook.marks_export,
        name="marks-export",
    ),
]

"""Addresses of assignments: set, handed in, marked, exported."""

from django.urls import path

from course.views import assignments, board, figures, gradebook, handins, marking, remarks, review

urlpatterns = [
    path("todo/", handins.todo, name="todo"),
    path("classes/<id:pk>/assignments/", assignments.assignment_list, name="assignment-list"),
    path(
        "classes/<id:pk>/assignments/new/",
        assignments.assignment_create,
        name="assignment-create",
    ),
    path("classes/<id:pk>/gradebook/", gradebook.class_gradebook, name="class-gradebook"),
    path(
        "classes/<id:pk>/gradebook.<str:kind>",
        gradebook.class_export,
        name="class-export",
    ),
    path(
        "assignments/<id:assignment_id>/",
        assignments.assignment_detail,
        name="assignment-detail",
    ),
    path(
        "assignments/<id:assignment_id>/edit/", assignments.assignment_edit, name="assignment-edit"
    ),
    path(
        "assignments/<id:assignment_id>/delete/",
        assignments.assignment_delete,
        name="assignment-delete",
    ),
    path(
        "assignments/<id:assignment_id>/extensions/",
        assignments.extension_give,
        name="extension-give",
    ),
    path(
        "assignments/<id:assignment_id>/extensions/take-back/",
        assignments.extension_take_back,
        name="extension-take-back",
    ),
    path(
        "assignments/<id:assignment_id>/release/",
        assignments.marks_release,
        name="marks-release",
    ),
    path("assignments/<id:assignment_id>/hand-in/", handins.hand_in_now, name="hand-in"),
    path("hand-ins/<id:handin_id>/", handins.handin_detail, name="handin-detail"),
    path("hand-ins/<id:handin_id>/withdraw/", handins.handin_withdraw, name="handin-withdraw"),
    path("hand-ins/<id:handin_id>/manifest.json", handins.handin_manifest, name="handin-manifest"),
    path("hand-ins/<id:handin_id>/ask/", remarks.remark_ask, name="remark-ask"),
    path("assignments/<id:assignment_id>/asked/", remarks.remark_list, name="remark-list"),
    path("remarks/<id:remark_id>/", remarks.remark_answer, name="remark-answer"),
    path("assignments/<id:assignment_id>/rubric/", remarks.rubric, name="rubric"),
    path("assignments/<id:assignment_id>/marking/", marking.marking, name="marking"),
    path("assignments/<id:assignment_id>/marking/same/", marking.same_answers, name="same-answers"),
    path(
        "assignments/<id:assignment_id>/marking/undo/",
        marking.same_answers_undo,
        name="same-answers-undo",
    ),
    path("assignments/<id:assignment_id>/key/", marking.new_key, name="new-key"),
    path("assignments/<id:assignment_id>/board/", board.board, name="board"),
    path("assignments/<id:assignment_id>/guide/", figures.class_guide, name="class-guide"),
    path("assignments/<id:assignment_id>/review/<str:username>/", review.review, name="review"),
    path("assignments/<id:assignment_id>/gradebook/", gradebook.gradebook_detail, name="gradebook"),
    path(
        "assignments/<id:assignment_id>/marks.<str:kind>",
        gradebook.marks_export,
        name="marks-export",
    ),
]

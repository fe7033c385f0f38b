"""Addresses of classes: joined, kept, filled; and of a person's own data."""

from django.urls import path

from course.views import cards, classes, downloads, joining, members, muster, privacy, roster

urlpatterns = [
    path("join/", joining.join, name="join"),
    path("join/<str:code>/", joining.join_confirm, name="join-confirm"),
    path("classes/", classes.classroom_list, name="classroom-list"),
    path("classes/new/", classes.classroom_create, name="classroom-create"),
    path("classes/<id:pk>/", classes.classroom_detail, name="classroom-detail"),
    path("classes/<id:pk>/settings/", classes.classroom_settings, name="classroom-settings"),
    path("classes/<id:pk>/archive/", classes.classroom_archive, name="classroom-archive"),
    path("classes/<id:pk>/download/", downloads.class_download, name="class-download"),
    path("classes/<id:pk>/leave/", classes.classroom_leave, name="classroom-leave"),
    path("classes/<id:pk>/students/<str:username>/", classes.student_work, name="student-work"),
    path("classes/<id:pk>/labs/", muster.muster_detail, name="muster-detail"),
    path("classes/<id:pk>/labs/warm/", muster.muster_begin, name="muster-begin"),
    path("classes/<id:pk>/labs/<str:username>/repair/", muster.muster_repair, name="muster-repair"),
    path("classes/<id:pk>/code/", joining.join_code, name="join-code"),
    path("classes/<id:pk>/code/qr.svg", joining.join_qr, name="join-qr"),
    path("classes/<id:pk>/people/", members.member_list, name="member-list"),
    path("classes/<id:pk>/people/remove/", members.member_remove, name="member-remove"),
    path("classes/<id:pk>/people/role/", members.member_role, name="member-role"),
    path("classes/<id:pk>/people/answer/", members.request_answer, name="request-answer"),
    path("classes/<id:pk>/invitations/", members.invitation_create, name="invitation-create"),
    path(
        "classes/<id:pk>/invitations/withdraw/",
        members.invitation_withdraw,
        name="invitation-withdraw",
    ),
    path(
        "classes/<id:pk>/invitations/answer/",
        members.invitation_answer,
        name="invitation-answer",
    ),
    path("classes/<id:pk>/accounts/", cards.account_create, name="account-create"),
    path("classes/<id:pk>/accounts/passphrases/", cards.passphrase_reset, name="passphrase-reset"),
    path("classes/<id:pk>/roster/", roster.roster, name="roster"),
    path("classes/<id:pk>/roster/<id:plan_pk>/", roster.roster_plan, name="roster-plan"),
    path("classes/<id:pk>/roster.csv", roster.roster_export, name="roster-export"),
    path("privacy/", privacy.privacy, name="privacy"),
    path("privacy/data.zip", privacy.data_export, name="data-export"),
    path("privacy/delete/", privacy.data_delete, name="data-delete"),
]

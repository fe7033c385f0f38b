"""Addresses of classes: joined, kept, filled; and of a person's own data."""

from django.urls import path

from course.views import cards, classes, downloads, joining, members, muster, privacy, roster

urlpatterns = [
    path("join/", joining.join, name="join"),
    path("join/<str:code>/", joining.join_confirm, name="join-confirm"),
    path("classes/", classes.classroom_list, name="classroom-list"),
    path("classes/new/", classes.classroom_create, name="classroom-create"),
    path("classes/<int:pk>/", classes.classroom_detail, name="classroom-detail"),
    path("classes/<int:pk>/settings/", classes.classroom_settings, name="classroom-settings"),
    path("classes/<int:pk>/archive/", classes.classroom_archive, name="classroom-archive"),
    path("classes/<int:pk>/download/", downloads.class_download, name="class-download"),
    path("classes/<int:pk>/leave/", classes.classroom_leave, name="classroom-leave"),
    path("classes/<int:pk>/students/<str:username>/", classes.student_work, name="student-work"),
    path("classes/<int:pk>/labs/", muster.muster_detail, name="muster-detail"),
    path("classes/<int:pk>/labs/warm/", muster.muster_begin, name="muster-begin"),
    path(
        "classes/<int:pk>/labs/<str:username>/repair/", muster.muster_repair, name="muster-repair"
    ),
    path("classes/<int:pk>/code/", joining.join_code, name="join-code"),
    path("classes/<int:pk>/code/qr.svg", joining.join_qr, name="join-qr"),
    path("classes/<int:pk>/people/", members.member_list, name="member-list"),
    path("classes/<int:pk>/people/remove/", members.member_remove, name="member-remove"),
    path("classes/<int:pk>/people/role/", members.member_role, name="member-role"),
    path("classes/<int:pk>/people/answer/", members.request_answer, name="request-answer"),
    path("classes/<int:pk>/invitations/", members.invitation_create, name="invitation-create"),
    path(
        "classes/<int:pk>/invitations/withdraw/",
        members.invitation_withdraw,
        name="invitation-withdraw",
    ),
    path(
        "classes/<int:pk>/invitations/answer/",
        members.invitation_answer,
        name="invitation-answer",
    ),
    path("classes/<int:pk>/accounts/", cards.account_create, name="account-create"),
    path("classes/<int:pk>/accounts/passphrases/", cards.passphrase_reset, name="passphrase-reset"),
    path("classes/<int:pk>/roster/", roster.roster, name="roster"),
    path("classes/<int:pk>/roster/<int:plan_pk>/", roster.roster_plan, name="roster-plan"),
    path("classes/<int:pk>/roster.csv", roster.roster_export, name="roster-export"),
    path("privacy/", privacy.privacy, name="privacy"),
    path("privacy/data.zip", privacy.data_export, name="data-export"),
    path("privacy/delete/", privacy.data_delete, name="data-delete"),
]

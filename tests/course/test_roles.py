"""What each role may do in a class, and that nobody gets more by another way."""

from __future__ import annotations

import pytest
from django.urls import reverse

from course.classrooms import (
    add_member,
    archive_classroom,
    change_role,
    end_membership,
    teaches,
    unarchive_classroom,
)
from course.invitations import accept_invitation, invite
from course.models import Classroom, Invitation, Membership
from course.permissions import rights_in
from labs.models import AuditEntry
from labs.refusal import Refused
from tests.factories import (
    make_admin,
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
    make_user,
)
from tests.markup import element, elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

Role = Membership.Role
MARKING = {"view_classroom", "view_work", "mark_work"}
MANAGING = MARKING | {
    "manage_classroom",
    "set_assignments",
    "release_marks",
    "export_marks",
    "manage_labs_of",
}
NEW = {"name": "9a", "time_zone": "Europe/Berlin"}


@pytest.fixture
def owner():
    return make_user("ms-frizzle")


@pytest.fixture
def classroom(owner):
    return make_classroom(teacher=owner, students=[])


def member(classroom, role, name=""):
    user = make_user(name)
    add_member(classroom=classroom, user=user, role=role)
    return user


def post(client, name, classroom, /, **sent):
    return client.post(reverse(f"course:{name}", args=[classroom.pk]), sent, follow=True)


@pytest.mark.parametrize(
    ("role", "rights"),
    [
        (Role.STUDENT, set()),
        (Role.ASSISTANT, MARKING),
        (Role.CO_TEACHER, MANAGING),
        (Role.TEACHER, MANAGING | {"own_classroom"}),
    ],
)
def test_each_role_has_its_rights_and_no_others(classroom, role, rights):
    user = member(classroom, role)
    assert rights_in(user, classroom) == rights
    assert {r for r in MANAGING | {"own_classroom"} if user.has_perm(f"course.{r}", classroom)} == (
        rights
    )


def test_a_role_ends_with_the_membership_and_counts_in_no_other_class(classroom, owner):
    helper = member(classroom, Role.CO_TEACHER)
    elsewhere = make_classroom(teacher=make_user(), students=[])
    assert rights_in(helper, elsewhere) == set()
    end_membership(classroom, actor=owner, user=helper)
    assert rights_in(helper, classroom) == set()


def test_an_admin_may_do_it_all(classroom):
    assert rights_in(make_admin(), classroom) == MANAGING | {"own_classroom"}


def test_work_is_seen_only_while_both_are_in_the_class(classroom, owner):
    student = member(classroom, Role.STUDENT)
    run = make_finished_run(student)
    assert owner.has_perm("labs.view_run", run)
    end_membership(classroom, actor=student, user=student)
    assert not owner.has_perm("labs.view_run", run)
    assert not teaches(owner, student)


@pytest.mark.parametrize("role", [Role.TEACHER, Role.CO_TEACHER, Role.ASSISTANT])
def test_whoever_was_removed_reaches_nobodys_work_by_any_address(client, classroom, owner, role):
    student, helper = member(classroom, Role.STUDENT), member(classroom, role)
    assignment = make_assignment(classroom, records_files=False)
    handin = make_handin(student, assignment, {"animal": "Quokka"})
    run, terminal = make_finished_run(student), make_terminal(student, "$ ls")
    saved = make_checkpoint(run.lab, {"note": "kept"})
    addresses = [
        reverse("course:classroom-detail", args=[classroom.pk]),
        reverse("course:student-work", args=[classroom.pk, student.username]),
        reverse("course:review", args=[assignment.pk, student.username]),
        reverse("course:marking", args=[assignment.pk]),
        reverse("course:gradebook", args=[assignment.pk]),
        reverse("course:board", args=[assignment.pk]),
        reverse("course:handin-detail", args=[handin.pk]),
        reverse("labs:run-detail", args=[run.pk]),
        reverse("labs:terminal-replay", args=[terminal.pk]),
        reverse("labs:terminal-list", args=[student.username]),
        reverse("labs:checkpoint-detail", args=[run.lab_id, saved.pk]),
    ]
    client.force_login(helper)
    assert {client.get(address).status_code for address in addresses} == {200}
    end_membership(classroom, actor=owner, user=helper)
    assert {client.get(address).status_code for address in addresses} == {404}


def test_nobody_reads_what_was_handed_in_by_a_student_who_has_left(client, classroom, owner):
    student = member(classroom, Role.STUDENT, "ada")
    assignment = make_assignment(classroom, records_files=False)
    handin = make_handin(student, assignment, {"own-words": "My very own words"})
    of_handin = [
        reverse(f"course:handin-{page}", args=[handin.pk]) for page in ("detail", "manifest")
    ]
    marking = reverse("course:marking", args=[assignment.pk]) + "?show=all"
    client.force_login(owner)
    assert "My very own words" in words_of(client.get(marking))
    assert {client.get(address).status_code for address in of_handin} == {200}
    end_membership(classroom, actor=student, user=student)
    assert "My very own words" not in words_of(client.get(marking))
    assert {client.get(address).status_code for address in of_handin} == {404}
    client.force_login(student)
    assert {client.get(address).status_code for address in of_handin} == {200}


def test_pages_of_a_class_count_the_hand_ins_of_who_is_in_it(client, classroom, owner):
    leaver, stays = member(classroom, Role.STUDENT), member(classroom, Role.STUDENT)
    assignment = make_assignment(classroom, records_files=False)
    for student in (leaver, stays):
        make_handin(student, assignment, {"own-words": "Mine"})
    end_membership(classroom, actor=owner, user=leaver)
    (listed,) = classroom.assignments.with_counts()
    assert (listed.handed_in, listed.to_mark) == (1, 1)
    client.force_login(owner)
    overview = client.get(reverse("course:assignment-detail", args=[assignment.pk]))
    assert "1 handed in 0 not yet 1 answer to mark" in words_of(overview)
    marking = client.get(reverse("course:marking", args=[assignment.pk]))
    assert "1 answer to be marked." in words_of(marking)
    add_member(classroom=classroom, user=leaver, role=Role.STUDENT)
    (listed,) = classroom.assignments.with_counts()
    assert (listed.handed_in, listed.to_mark) == (2, 2)


def test_who_comes_back_is_in_the_class_as_before(classroom, owner):
    student = member(classroom, Role.STUDENT)
    Membership.objects.filter(user=student).update(external_id="4711")
    end_membership(classroom, actor=owner, user=student)
    assert list(classroom.students()) == []
    add_member(classroom=classroom, user=student, role=Role.STUDENT)
    assert list(classroom.students()) == [student]
    assert Membership.objects.get(user=student).external_id == "4711"


def test_the_last_teacher_can_neither_leave_nor_step_down(client, classroom, owner):
    member(classroom, Role.CO_TEACHER)
    client.force_login(owner)
    left = post(client, "classroom-leave", classroom)
    assert "the only teacher of this class, so nothing was changed" in words_of(left)
    stepped = post(client, "member-role", classroom, username=owner.username, role="assistant")
    assert "the only teacher of this class" in words_of(stepped)
    assert "own_classroom" in rights_in(owner, classroom)


def test_one_of_two_teachers_can_leave(classroom, owner):
    member(classroom, Role.TEACHER)
    end_membership(classroom, actor=owner, user=owner)
    assert rights_in(owner, classroom) == set()


def test_a_student_makes_no_class_since_who_teaches_reads_all_answers(client):
    client.force_login(make_user())
    assert client.post(reverse("course:classroom-create"), NEW).status_code == 403
    assert Classroom.objects.count() == 0


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.CO_TEACHER])
def test_helping_in_a_class_lets_nobody_make_classes(classroom, role):
    assert not member(classroom, role).has_perm("course.add_classroom")


def test_a_teacher_makes_a_class_and_owns_it(client):
    teacher = make_user("new", may_teach=True)
    client.force_login(teacher)
    response = client.post(reverse("course:classroom-create"), NEW, follow=True)
    assert element(response, "h1").words == "9a"
    classroom = Classroom.objects.get()
    assert classroom.time_zone == "Europe/Berlin"
    assert "own_classroom" in rights_in(teacher, classroom)


def test_a_class_is_renamed_and_the_log_says_what_it_was(client, classroom, owner):
    client.force_login(owner)
    post(client, "classroom-settings", classroom, **NEW, retention_days="365")
    classroom.refresh_from_db()
    assert (classroom.name, classroom.retention_days) == ("9a", 365)
    entry = AuditEntry.objects.get(action="change class")
    assert (entry.before["name"], entry.after["name"]) == ("7b", "9a")


def test_an_invited_helper_is_asked_first(client, classroom, owner):
    helper = make_user("helper")
    client.force_login(owner)
    post(client, "invitation-create", classroom, username="Helper", role="assistant")
    assert rights_in(helper, classroom) == set()
    client.force_login(helper)
    page = client.get(reverse("course:classroom-list"))
    assert "ms-frizzle asks you to help teach 7b as assistant." in words_of(page)
    post(client, "invitation-answer", classroom, answer="yes")
    assert rights_in(helper, classroom) == MARKING
    assert Invitation.objects.count() == 0


def test_an_invitation_can_be_declined_and_taken_back(client, classroom, owner):
    helper = make_user("helper")
    invite(classroom, actor=owner, username="helper", role="teacher")
    client.force_login(helper)
    post(client, "invitation-answer", classroom, answer="no")
    assert rights_in(helper, classroom) == set()
    invite(classroom, actor=owner, username="helper", role="teacher")
    client.force_login(owner)
    post(client, "invitation-withdraw", classroom, username="helper")
    client.force_login(helper)
    asked = client.post(reverse("course:invitation-answer", args=[classroom.pk]), {"answer": "yes"})
    assert asked.status_code == 404
    assert rights_in(helper, classroom) == set()


def test_nobody_is_invited_who_does_not_exist_or_is_in_the_class(client, classroom, owner):
    member(classroom, Role.STUDENT, "ada")
    client.force_login(owner)
    unknown = post(client, "invitation-create", classroom, username="nobody", role="assistant")
    assert "Nobody is called “nobody” here" in words_of(unknown)
    known = post(client, "invitation-create", classroom, username="ada", role="assistant")
    assert "ada is in this class already" in words_of(known)


def test_a_co_teacher_removes_students_and_no_teachers(client, classroom, owner):
    student, other = member(classroom, Role.STUDENT), member(classroom, Role.ASSISTANT)
    client.force_login(member(classroom, Role.CO_TEACHER))
    address = reverse("course:member-remove", args=[classroom.pk])
    assert client.post(address, {"username": student.username}).status_code == 302
    assert client.post(address, {"username": other.username}).status_code == 404
    assert client.post(address, {"username": owner.username}).status_code == 404
    roles = {m.user_id: m.role for m in classroom.memberships.current()}
    assert student.pk not in roles
    assert {roles[other.pk], roles[owner.pk]} == {Role.ASSISTANT, Role.TEACHER}


def test_a_student_is_made_no_teacher_by_a_form(client, classroom, owner):
    student = member(classroom, Role.STUDENT, "ada")
    client.force_login(owner)
    said = post(client, "member-role", classroom, username="ada", role="teacher")
    assert "ada does not teach this class (any more), so nothing was changed." in words_of(said)
    assert rights_in(student, classroom) == set()


def test_changes_of_roles_are_logged_with_before_and_after(classroom, owner):
    helper = member(classroom, Role.ASSISTANT)
    change_role(classroom, actor=owner, user=helper, role=Role.CO_TEACHER)
    entry = AuditEntry.objects.get(action="change role")
    assert (entry.before, entry.after) == ({"role": "assistant"}, {"role": "co_teacher"})
    assert entry.subject == f"user {helper.pk}"


def test_an_archived_class_is_read_but_not_changed(client, classroom, owner):
    student = member(classroom, Role.STUDENT, "ada")
    archive_classroom(classroom, actor=owner)
    client.force_login(owner)
    page = client.get(reverse("course:classroom-detail", args=[classroom.pk]))
    assert "Archived on" in words_of(page)
    assert elements(page, "a", href=f"/classes/{classroom.pk}/students/ada/")
    said = post(client, "invitation-create", classroom, username=student.username, role="assistant")
    assert "This class is archived, so nothing was changed." in words_of(said)


def test_teachers_of_an_archived_class_touch_no_lab_and_look_over_no_shoulder(classroom, owner):
    student = member(classroom, Role.STUDENT)
    terminal = make_terminal(student)
    assert owner.has_perm("labs.watch_terminal", terminal)
    assert owner.has_perm("labs.care_for_lab", terminal.lab)
    archive_classroom(classroom, actor=owner)
    assert not owner.has_perm("labs.watch_terminal", terminal)
    assert not owner.has_perm("labs.care_for_lab", terminal.lab)
    assert owner.has_perm("labs.view_terminal", terminal)


def test_nobody_becomes_a_helper_of_an_archived_class(classroom, owner):
    make_user("helper")
    invitation = invite(classroom, actor=owner, username="helper", role="assistant")
    archive_classroom(classroom, actor=owner)
    invitation.refresh_from_db()
    with pytest.raises(Refused):
        accept_invitation(invitation)


def test_archiving_can_be_undone(client, classroom, owner):
    client.force_login(owner)
    post(client, "classroom-archive", classroom, archived="yes")
    listed = client.get(reverse("course:classroom-list"))
    assert "1 archived class" in words_of(listed)
    post(client, "classroom-archive", classroom, archived="no")
    classroom.refresh_from_db()
    assert not classroom.is_archived
    unarchive_classroom(classroom, actor=owner)
    deeds = AuditEntry.objects.filter(subject=f"class {classroom.pk}").values_list("action")
    assert [deed for (deed,) in deeds] == ["take class out of the archive", "archive class"]

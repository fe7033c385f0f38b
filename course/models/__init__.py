"""Rows of what is taught: people, classrooms, answers, lessons. Written elsewhere, by noun."""

from course.models.answers import Answer
from course.models.classrooms import Classroom, Invitation, JoinRequest, Membership, RosterPlan
from course.models.lesson_versions import LessonVersion
from course.models.people import Attempt, User
from course.models.rehearsals import Rehearsal

__all__ = [
    "Answer",
    "Attempt",
    "Classroom",
    "Invitation",
    "JoinRequest",
    "LessonVersion",
    "Membership",
    "Rehearsal",
    "RosterPlan",
    "User",
]

"""Rows of what is taught: people, classrooms, answers, rehearsals. Written elsewhere, by noun."""

from course.models.answers import Answer
from course.models.classrooms import Classroom, Membership
from course.models.people import User
from course.models.rehearsals import Rehearsal

__all__ = ["Answer", "Classroom", "Membership", "Rehearsal", "User"]

"""Rows of what is taught: people, classrooms, answers, lessons. Written elsewhere, by noun."""

from course.models.answers import Answer
from course.models.classrooms import Classroom, Membership
from course.models.lesson_versions import LessonVersion
from course.models.people import User
from course.models.rehearsals import Rehearsal

__all__ = ["Answer", "Classroom", "LessonVersion", "Membership", "Rehearsal", "User"]

"""Rows of what is taught: people, classrooms, answers. Written by the module of each noun."""

from course.models.answers import Answer
from course.models.classrooms import Classroom, Membership
from course.models.people import User

__all__ = ["Answer", "Classroom", "Membership", "User"]

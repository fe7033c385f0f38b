"""Rows of what is taught: people, classrooms, answers, lessons. Written elsewhere, by noun."""

from course.models.answers import Answer, AnswerEntry
from course.models.assignments import Assignment, Extension
from course.models.block_outcomes import BlockOutcome
from course.models.classrooms import Classroom, Invitation, JoinRequest, Membership, RosterPlan
from course.models.downloads import ClassDownload
from course.models.handins import HandIn, Manifest
from course.models.help import HelpRequest
from course.models.lesson_versions import LessonVersion
from course.models.marks import Group, Mark, MarkEntry, Remark, RubricLine
from course.models.people import Attempt, LogInTries, User
from course.models.rehearsals import Rehearsal

__all__ = [
    "Answer",
    "AnswerEntry",
    "Assignment",
    "Attempt",
    "BlockOutcome",
    "ClassDownload",
    "Classroom",
    "Extension",
    "Group",
    "HandIn",
    "HelpRequest",
    "Invitation",
    "JoinRequest",
    "LessonVersion",
    "LogInTries",
    "Manifest",
    "Mark",
    "MarkEntry",
    "Membership",
    "Rehearsal",
    "Remark",
    "RosterPlan",
    "RubricLine",
    "User",
]

"""`manage.py labs`: the labs from a lab host's command line."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from labs import by_hand, lab_requests, lifecycle
from labs.engine.base import EngineError
from labs.models import Lab, Wish
from labs.refusal import Refused

NOT_DONE, TROUBLE_FOUND = 1, 3


class Command(BaseCommand):
    help = (
        "Lists, stops, restarts, resets, rebuilds, examines and reconciles labs. Exit codes: "
        "0 done, 1 not done (the reason is printed), 2 wrong usage, 3 the doctor found trouble."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True, metavar="DEED")
        listing = deeds.add_parser("list", help="every lab with its state")
        listing.add_argument("--state", choices=Lab.State.values, default="")
        for name, words in WORDS.items():
            deed = deeds.add_parser(name, help=words)
            deed.add_argument("usernames", nargs="*", metavar="USER")
            deed.add_argument("--all", action="store_true", help="every lab that is started")
            deed.add_argument("--wait", type=float, default=120, metavar="SECONDS")
        deeds.choices["reset"].add_argument("--to", type=int, metavar="CHECKPOINT")
        deeds.add_parser("reconcile", help="bring rows and containers of this host into step")
        deeds.add_parser("gc", help="let go of old checkpoints and of what nobody holds")
        for deed in deeds.choices.values():
            deed.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            reports = self._do(options)
        except (Refused, EngineError) as error:
            raise CommandError(str(error), returncode=NOT_DONE) from error
        self._print(reports, as_json=options["json"])
        if any(report.get("is_done") is False for report in reports):
            sys.exit(NOT_DONE)
        if any(report.get("findings") for report in reports):
            sys.exit(TROUBLE_FOUND)

    def _do(self, options: dict[str, Any]) -> list[by_hand.Report]:
        match options["deed"]:
            case "list":
                return by_hand.list_labs(state=options["state"])
            case "reconcile":
                return [by_hand.reconcile_now()]
            case "gc":
                return [by_hand.collect_garbage()]
            case deed:
                return [self._one(deed, lab, options) for lab in _labs(options)]

    def _one(self, deed: str, lab: Lab, options: dict[str, Any]) -> by_hand.Report:
        if deed == "stop":
            return by_hand.stop(lab, wait_s=options["wait"])
        if deed == "doctor":
            return by_hand.examine(lab, wait_s=options["wait"])
        return by_hand.carry_out(_press(deed, lab, options), wait_s=options["wait"])

    def _print(self, reports: list[by_hand.Report], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(reports, indent=2))
            return
        for report in reports:
            self.stdout.write("  ".join(_cells(report)))
            for finding in report.get("findings", ()):
                self.stdout.write(f"  ✗ {finding['title']}: {finding['words']}")


WORDS = {
    "stop": "save the files and remove the container",
    "restart": "same files, fresh processes",
    "reset": "no files, or those of a checkpoint; the present ones are saved first",
    "rebuild": "same files, a new container from the current image",
    "doctor": "find out what is wrong",
}


def _labs(options: dict[str, Any]) -> list[Lab]:
    if bool(options["usernames"]) == options["all"]:
        raise CommandError("Name users, or say --all.", returncode=2)
    if options["all"]:
        rows = Lab.objects.select_related("owner", "host").filter(state__in=Lab.STARTED)
        return list(rows.order_by("owner__username"))
    return [_lab_of(username) for username in options["usernames"]]


def _lab_of(username: str) -> Lab:
    users = get_user_model()
    try:
        return lifecycle.lab_of(users.objects.get_by_natural_key(username))
    except users.DoesNotExist as error:
        raise CommandError(f"Nobody is called {username!r} here.", returncode=2) from error


def _press(deed: str, lab: Lab, options: dict[str, Any]) -> Wish:
    match deed:
        case "restart":
            return lab_requests.request_restart(lab, actor=None)
        case "rebuild":
            return lab_requests.request_rebuild(lab, actor=None)
    to = lab.checkpoints.kept().filter(pk=options["to"]).first() if options["to"] else None
    if options["to"] and to is None:
        raise CommandError(f"This lab has no checkpoint {options['to']}.", returncode=2)
    return lab_requests.request_reset(lab, actor=None, to=to)


def _cells(report: by_hand.Report) -> list[str]:
    """One line for people: what has a value, without what only machines need."""
    hidden = ("is_done", "findings", "image", "outcome", "generation")
    return [
        f"{value}" if name in ("owner", "state", "words", "wish") else f"{name}: {value}"
        for name, value in report.items()
        if name not in hidden and value not in ("", None)
    ]

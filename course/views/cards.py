"""Accounts made by the dozen and new passphrases, shown once as cards to print."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from course.account_forms import NewAccountsForm
from course.accounts import Card, make_accounts, reset_passphrases
from course.models import Classroom
from course.people import signed_in
from course.permissions import rights_in
from course.views.of_class import classroom_or_404
from labs.refusal import Refused


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account_create(request: HttpRequest, pk: int) -> HttpResponse:
    """New accounts, by name or by number; the answer to a POST is the cards themselves."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    form = NewAccountsForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        accounts, actor = form.accounts(), signed_in(request)
        try:
            cards = make_accounts(classroom, actor=actor, accounts=accounts)
        except Refused as no:
            form.add_error(None, str(no))
        else:
            return show_cards(request, classroom, cards)
    context = {"classroom": classroom, "form": form, "rights": rights_in(request.user, classroom)}
    return render(request, "course/account_create.html", context)


@login_required
@never_cache
@require_POST
def passphrase_reset(request: HttpRequest, pk: int) -> HttpResponse:
    """For the students ticked on the page of the class's people."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    usernames, actor = request.POST.getlist("username"), signed_in(request)
    try:
        cards = reset_passphrases(classroom, actor=actor, usernames=usernames)
    except Refused as no:
        messages.error(request, str(no))
        return redirect("course:member-list", pk=pk)
    return show_cards(request, classroom, cards)


def show_cards(request: HttpRequest, classroom: Classroom, cards: Sequence[Card]) -> HttpResponse:
    """Never a redirect: the passphrases are stored nowhere that a next page could read."""
    context = {
        "classroom": classroom,
        "cards": cards,
        "site": request.build_absolute_uri(reverse("account_login")),
    }
    return render(request, "course/login_cards.html", context)

"""What labs may use: the site's limits, and those of classes and lessons."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labs.console.access import needs
from labs.console.deeds import ask_each
from labs.console.forms import LimitForm, ScopeForm
from labs.lab_requests import request_new_limits
from labs.limits import (
    Allowance,
    allowance_for_scope,
    allowance_in,
    labs_in_scope,
    name_of_scope,
    remove_limits,
    scope_choices,
    set_limits,
)
from labs.models import LimitRule
from labs.models.limits import SITE
from labs.refusal import Refused


@login_required
@require_safe
@needs("labs.manage_limits")
def limit_list(request: HttpRequest) -> HttpResponse:
    names = dict(scope_choices())
    rules = [
        (names.get(rule.scope, rule.scope), rule.scope, LimitForm.initial_of(allowance_in(rule)))
        for rule in LimitRule.objects.all()
    ]
    context = {
        "rules": rules,
        "default": LimitForm.initial_of(Allowance()),
        "form": ScopeForm(),
        "tab": "limits",
    }
    return render(request, "labs/limit_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@needs("labs.manage_limits")
def limit_edit(request: HttpRequest) -> HttpResponse:
    """The limits of one scope: a form, and the reasons where they can't hold."""
    scope = _scope_or_404(request.GET.get("scope", SITE))
    initial = LimitForm.initial_of(allowance_for_scope(scope))
    form = LimitForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _is_set(request, scope, form):
        if form.cleaned_data["restart"]:
            _restart(request, scope)
        return redirect("labs:limit-list")
    context = {"scope": scope, "name": name_of_scope(scope), "form": form, "tab": "limits"}
    return render(request, "labs/limit_edit.html", context)


def _is_set(request: HttpRequest, scope: str, form: LimitForm) -> bool:
    """False when they can't hold: then the form says why, and nothing was changed."""
    try:
        set_limits(actor=request.user, scope=scope, allowance=form.allowance())
    except Refused as refusal:
        for sentence in str(refusal).splitlines():
            form.add_error(None, sentence)
        return False
    messages.success(
        request,
        _("The limits of “%(name)s” are set. They count from each lab's next start on.")
        % {"name": name_of_scope(scope)},
    )
    return True


def _restart(request: HttpRequest, scope: str) -> None:
    ask = partial(request_new_limits, actor=request.user)
    outcome = ask_each(ask, labs_in_scope(scope))
    messages.success(
        request,
        ngettext(
            "%(count)d lab saves its files and restarts with the new limits.",
            "%(count)d labs save their files and restart with the new limits.",
            outcome.asked,
        )
        % {"count": outcome.asked},
    )
    for sentence in outcome.refused:
        messages.warning(request, sentence)


@login_required
@require_POST
@needs("labs.manage_limits")
def limit_remove(request: HttpRequest) -> HttpResponse:
    """Asks once more, then the labs of the scope get the next wider limits again."""
    scope = request.POST.get("scope", "")
    name = name_of_scope(scope)
    if "confirmed" not in request.POST:
        context = {"scope": scope, "name": name, "tab": "limits"}
        return render(request, "labs/limit_remove.html", context)
    remove_limits(actor=request.user, scope=scope)
    messages.success(request, _("“%(name)s” has no limits of its own now.") % {"name": name})
    return redirect("labs:limit-list")


def _scope_or_404(scope: str) -> str:
    if scope not in dict(scope_choices()):
        raise Http404("no such class or lesson")
    return scope

"""Pages, for a WSGI server."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.proxied import behind_proxy

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
if settings.BEHIND_PROXY:
    application = behind_proxy(application)  # type: ignore[assignment] # the same, by another name

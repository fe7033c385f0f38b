"""Every setting, read from the environment; without one, a safe embedded default.

Embedded means one process: SQLite, Celery on the memory transport, no Redis. `DATABASE_URL`,
`CELERY_BROKER_URL` and `CHANNEL_REDIS_URL` switch to PostgreSQL and Redis. Any setting X may come
from a file instead, named by X_FILE, as secrets do. What concerns the workers' doorbell stands in
`config.celery_settings`.
"""

import hashlib
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF

from config.celery_settings import *  # noqa: F403 - settings in a module of their own
from config.secret import read_or_make_secret

env = environ.FileAwareEnv()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var")))
VAR_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or read_or_make_secret(VAR_DIR / "secret-key")
# Health checks ask by the loopback address, whatever the site is called.
ALLOWED_HOSTS = [*env.list("ALLOWED_HOSTS", default=["localhost", "[::1]"]), "127.0.0.1"]
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
BEHIND_TLS = env.bool("BEHIND_TLS", default=False)
# A proxy in front of the pages says who asks; without one, anybody could say anything.
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)

INSTALLED_APPS = [
    "course",
    "labs",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "rules",
    "allauth",
    "allauth.account",
    "axes",
]

MIDDLEWARE = [
    "labs.server_errors.count_server_errors",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "course.known_devices.known_devices",
    "course.middleware.readers_choices",
    "course.middleware.no_nul",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
    "course.full_disk.SayDiskIsFull",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "course.context.frame",
            ],
        },
    },
]

# Rows -------------------------------------------------------------------------------------------

DATABASES: dict[str, Any] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'agent-lab.sqlite3'}")
}
if DATABASE_PASSWORD := env.str("DATABASE_PASSWORD", default="").strip():
    DATABASES["default"]["PASSWORD"] = DATABASE_PASSWORD
DATABASES["default"]["CONN_MAX_AGE"] = None
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # With eight writers half of all transactions fail as "locked" without these three.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
# The most connections of this process, for workers: more threads than that mostly wait for labs.
DATABASE_POOL = env.int("DATABASE_POOL", default=0)
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # Only what `labs.prepared` executes; a pgbouncer in front must be in session mode.
    DATABASES["default"]["OPTIONS"] = {"prepare_threshold": 2}
    if DATABASE_POOL:
        DATABASES["default"]["CONN_MAX_AGE"] = 0
        DATABASES["default"]["OPTIONS"]["pool"] = {
            "min_size": min(4, DATABASE_POOL),
            "max_size": DATABASE_POOL,
            "max_idle": 60,
            "timeout": 10,
        }
# Celery would close each thread's connection after every task; `labs.tasks` sees to lost ones.
# With a pool that is what gives it back.
CELERY_DB_REUSE_MAX = 0 if DATABASE_POOL else 1_000_000_000
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# People -----------------------------------------------------------------------------------------

AUTH_USER_MODEL = "course.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "rules.permissions.ObjectPermissionBackend",
    "course.backends.AccountBackend",
]
SESSION_ENGINE = "course.sessions"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"course.passphrase_rules.{name}"}
    for name in ("LongEnough", "NotCommon", "NotOnlyDigits")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "email"]
ACCOUNT_ADAPTER = "course.account_words.AccountAdapter"
ACCOUNT_FORMS = {"login": "course.forms.LoginForm", "signup": "course.forms.SignupForm"}
ACCOUNT_USERNAME_VALIDATORS = "course.forms.USERNAME_VALIDATORS"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_SESSION_REMEMBER = True
# A whole school may sit behind one address: who is counted how stands in course.log_in_tries.
ACCOUNT_RATE_LIMITS = {"login": False, "login_failed": False, "signup": False}
AXES_HANDLER = "course.log_in_guard.LogInGuard"
AXES_LOCKOUT_CALLABLE = "course.log_in_guard.locked_out"
AXES_USERNAME_CALLABLE = "course.people.name_tried"
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_DISABLE_ACCESS_LOG = True

# Pages ------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LESSON_LANGUAGE = env.str("LESSON_LANGUAGE", default="en")
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
USE_TZ = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(VAR_DIR / "static")))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": env.str(
            "STATICFILES_BACKEND",
            default="config.static_files.StaticFiles",
        )
    },
}
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000

# Lessons and labs -------------------------------------------------------------------------------

DEMO_ACCOUNTS_FILE = VAR_DIR / "demo-accounts.json"
LESSON_DIRS = [Path(p) for p in env.list("LESSON_DIRS", default=[])] or [
    BASE_DIR / "course" / "content"
]
# Labels this installation's containers, so that two checkouts on one machine never meet.
LAB_INSTALLATION = env.str(
    "LAB_INSTALLATION", default=hashlib.sha256(str(BASE_DIR).encode()).hexdigest()[:8]
)
LAB_ENGINE = "labs.engine.docker_engine.DockerEngine"
LAB_HOST = env.str("LAB_HOST", default="local")
LAB_IMAGE = env.str("LAB_IMAGE", default="agent-lab/agent:latest")
# What builds the agent image anew, where an admin asks for it and the worker can.
LAB_BUILD_COMMAND = env.list(
    "LAB_BUILD_COMMAND", default=[str(BASE_DIR / "bin" / "build-image"), "--rebuild"]
)
LAB_AUDIENCE = "course.audience.CourseAudience"
LAB_RUNTIME = env.str("LAB_RUNTIME", default="")
# User ids of labs count up from here. Process limits count per id of the whole machine.
LAB_FIRST_UID = env.int("LAB_FIRST_UID", default=20_000)
# Times of quiet, in seconds: a lab is paused, its owner warned, then it is saved and stopped.
LAB_PAUSE_AFTER_S = env.int("LAB_PAUSE_AFTER_S", default=10 * 60)
LAB_STOP_AFTER_S = env.int("LAB_STOP_AFTER_S", default=60 * 60)
LAB_STOP_WARNING_S = env.int("LAB_STOP_WARNING_S", default=5 * 60)
# Where others wait for a place, a lab that is quiet for so long is saved and stopped early.
LAB_MAKE_ROOM_AFTER_S = env.int("LAB_MAKE_ROOM_AFTER_S", default=3 * 60)
# What one host may hold, unless its row says otherwise. Most labs use a tenth of their limit.
LAB_MEMORY_SHARE = env.float("LAB_MEMORY_SHARE", default=2.0)
LAB_MAX_STARTED = env.int("LAB_MAX_STARTED", default=200)
# A host whose engine has been silent for so long counts as dead where another one has room.
LAB_HOST_DEAD_S = env.int("LAB_HOST_DEAD_S", default=90)
# So many labs are started at once on one host, whoever asks: an engine that is asked for sixty
# containers at once answers none of them in time.
LAB_STARTS_AT_ONCE = env.int("LAB_STARTS_AT_ONCE", default=4)
LAB_RUNS_PER_MINUTE = env.int("LAB_RUNS_PER_MINUTE", default=30)

# Terminals --------------------------------------------------------------------------------------

# Where browsers reach the terminals' gateway of a lab host, such as wss://{host}.labs.example.org
# ({hostname} is the page's own name), or only its port on the page's own machine; without either
# this very process is it. The site's own origin then has to stand in CSRF_TRUSTED_ORIGINS.
TERMINAL_URL = env.str("TERMINAL_URL", default="")
TERMINAL_PORT = env.int("TERMINAL_PORT", default=0)
if TERMINAL_PORT and not TERMINAL_URL:
    TERMINAL_URL = f"{'wss' if BEHIND_TLS else 'ws'}://{{hostname}}:{TERMINAL_PORT}"
if TERMINAL_URL:
    CONTENT_SECURITY_POLICY["DIRECTIVES"]["connect-src"].append(
        TERMINAL_URL.format(host="*", hostname="*")
    )
# A shell at which nobody has looked for so long is ended.
TERMINAL_LINGER_S = env.int("TERMINAL_LINGER_S", default=900)
TERMINAL_RECORDING_BYTES = env.int("TERMINAL_RECORDING_BYTES", default=2 * 1024 * 1024)
TERMINAL_RECORDING_DAYS = env.int("TERMINAL_RECORDING_DAYS", default=365)

# Operation ----------------------------------------------------------------------------------------

# What a Prometheus shows to read /metrics; without one only admins may.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="").strip()

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "labs.log_lines.JsonLine"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", default="line"),
        }
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
}

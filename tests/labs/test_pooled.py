"""Many threads of a worker on few connections."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid

import pytest
from django.db import connection

from tests.site_fixtures import REPOSITORY, url_of_test_database

pytestmark = [pytest.mark.core, pytest.mark.django_db(transaction=True)]

MANY_THREADS = """
import threading, time, django
django.setup()
from django.db import connection
from labs import leases, pooled
from labs.models import Host

together = threading.Barrier(12)

def work():
    with leases.kept(Host.objects.count):
        for _ in range(5):
            assert Host.objects.count() >= 0
            pooled.give_back()
            together.wait(10)  # as long as nobody holds a connection while it waits
    pooled.give_back()

threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'NAME'")
    print(cursor.fetchone()[0])
"""


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has a pool")
def test_many_threads_that_mostly_wait_share_few_connections():
    name = f"pooled-{uuid.uuid4().hex[:8]}"
    done = subprocess.run(
        [sys.executable, "-c", MANY_THREADS.replace("NAME", name)],
        cwd=REPOSITORY,
        env=os.environ
        | {
            "DATABASE_URL": url_of_test_database(),
            "DATABASE_POOL": "3",
            "PGAPPNAME": name,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert 1 <= int(done.stdout) <= 3

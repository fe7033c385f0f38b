import django.utils.timezone
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def date_old_pieces(apps, schema_editor):
    """At the latest when their terminal ended. Those of an open one count as stored now."""
    sessions = apps.get_model("labs", "TerminalSession").objects.filter(pk=OuterRef("session_id"))
    ended = apps.get_model("labs", "RecordingPiece").objects.exclude(session__closed_at=None)
    ended.update(stored_at=Subquery(sessions.values("closed_at")[:1]))


class Migration(migrations.Migration):
    dependencies = [("labs", "0014_find_what_is_lately_open_or_large")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="typed_at_s",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="recordingpiece",
            name="stored_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.RunPython(date_old_pieces, migrations.RunPython.noop),
    ]

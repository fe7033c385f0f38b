from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labs", "0009_find_lately_asked_runs")]

    operations = [
        migrations.AddField(
            model_name="host",
            name="answered_at",
            field=models.DateTimeField(null=True),
        ),
    ]

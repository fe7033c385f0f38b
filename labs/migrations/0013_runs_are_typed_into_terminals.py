from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labs", "0012_name_checkpoints_before_runs")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="typed_into",
            field=models.UUIDField(null=True),
        ),
    ]

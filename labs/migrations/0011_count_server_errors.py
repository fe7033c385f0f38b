from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labs", "0010_tell_when_an_engine_answered")]

    operations = [
        migrations.CreateModel(
            name="ServerError",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("view", models.CharField(max_length=200)),
                ("status", models.PositiveSmallIntegerField()),
                ("count", models.PositiveBigIntegerField(default=0)),
                ("last_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("view", "status"), name="one_count_a_view_and_status"
                    )
                ],
            },
        ),
    ]

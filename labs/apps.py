from django.apps import AppConfig


class LabsConfig(AppConfig):
    name = "labs"
    verbose_name = "Labs"

    def ready(self) -> None:
        from labs import permissions  # noqa: F401 - registers who may do what

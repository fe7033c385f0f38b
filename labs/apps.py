from django.apps import AppConfig


class LabsConfig(AppConfig):
    name = "labs"
    verbose_name = "Labs"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_out

        from labs import permissions  # noqa: F401 - registers who may do what
        from labs.terminal_tickets import ring_logout
        from labs.url_ids import know_ids

        user_logged_out.connect(ring_logout)
        know_ids()

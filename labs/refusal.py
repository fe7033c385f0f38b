"""The one way to say no: an exception whose text is the sentence to show."""


class Refused(Exception):
    """A person asked for something that can't be done now. Nothing was changed."""

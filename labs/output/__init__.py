"""What a run wrote, as bytes, to lines that are safe on a page and a plain-text twin. Pure.

`Screen` takes bytes as they come and says which lines of the page have changed since.
"""

from labs.output.page import PAGE, WHOLE, Limits, Patch
from labs.output.rows import Words
from labs.output.screen import Screen

__all__ = ["PAGE", "WHOLE", "Limits", "Patch", "Screen", "Words"]

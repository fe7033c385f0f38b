"""Process 1 of a lab: owns every run, answers the site over a socket that only root can reach.

This file stays small, since Python compiles a script anew at every start but not its modules.
"""

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])  # -I keeps a script's directory out of it

from start import serve

serve()

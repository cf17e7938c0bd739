# SPDX-License-Identifier: MIT
"""python -m ouro_audit SCRIPT_OR_MODULE; command.py reads the options."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -m gatecore``."""

from gatecore.cli import main

if __name__ == "__main__":
    main()

"""``python -m gateview``."""

from gateview.cli import main

if __name__ == "__main__":
    main()

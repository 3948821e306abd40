"""``python -m gateview``."""

from gateview.start import main

if __name__ == "__main__":
    main()

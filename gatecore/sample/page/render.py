"""Render every page of the folder that this is started in to a PNG in $GATECORE_PAGES, with a headless Chromium."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ON_A_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--window-size=640,480",
)


def main() -> int:
    """Return the exit code: 0 when every page has its picture."""
    browser = next(filter(None, map(shutil.which, (*BROWSERS, ON_A_MAC))), None)
    if browser is None:
        print("there is no Chromium here: install one, on Debian the package chromium")
        return 1
    pages = sorted(Path.cwd().glob("*.html"))
    for page in pages:
        picture = Path(os.environ["GATECORE_PAGES"], page.with_suffix(".png").name)
        if not rendered(browser, page, picture):
            print(f"{browser} left no picture of {page.name}")
            return 1
    print(f"{len(pages)} pages rendered")
    return 0


def rendered(browser: str, page: Path, picture: Path) -> bool:
    """Render one page; True when there is a picture of it."""
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        where = [f"--user-data-dir={profile}", f"--screenshot={picture}", page.as_uri()]
        subprocess.run([browser, *FLAGS, *root, *where], stdin=subprocess.DEVNULL, check=False)
    return picture.is_file()


if __name__ == "__main__":
    sys.exit(main())

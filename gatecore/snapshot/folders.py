"""Folders that a check may have done anything to. Without `shutil`, which costs a stop milliseconds to load."""

import os
import stat


def is_folder(path: str) -> bool:
    """Whether there is a folder, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def items(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder of ours, whatever a check did to its permissions."""
    if os.lstat(folder).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, 0o755)
    with os.scandir(folder) as inside:
        return list(inside)


def remove(path: str) -> None:
    """Remove whatever is there; nothing there is fine."""
    if not is_folder(path):
        if os.path.lexists(path):
            os.unlink(path)
        return
    folders = [path]
    for folder in folders:
        for item in items(folder):
            if item.is_dir(follow_symlinks=False):
                folders.append(item.path)
            else:
                os.unlink(item.path)
    for folder in reversed(folders):
        os.rmdir(folder)

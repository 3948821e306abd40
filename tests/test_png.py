"""What claims to be a picture."""

import struct

import pytest
from images import chunk, png

from gatecore.png import MAX_PIXELS, MAX_SIDE, NotAPngError, png_size


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (MAX_SIDE, MAX_PIXELS // MAX_SIDE)])
def test_the_size_of_a_picture(size: tuple[int, int]) -> None:
    assert png_size(png(*size, chunk(b"tEXt", b"Title\0x")) + b"behind the end") == size


WHOLE = png(7, 3)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is no PNG"),
        (b"GIF89a" + WHOLE, "is no PNG"),
        (WHOLE[:8], "part is missing"),
        (WHOLE[:40], "cut"),
        (WHOLE[:-1], "cut"),
        (WHOLE.replace(chunk(b"IEND", b""), b""), "part is missing"),
        (WHOLE[:20] + b"\xff" + WHOLE[21:], "damaged"),
        (WHOLE[:8] + chunk(b"IEND", b""), "part is missing"),
        (WHOLE[:33] + WHOLE[8:], "part is missing"),
        (WHOLE[:8] + struct.pack(">I", 2**32 - 1) + b"IHDR", "cut"),
        (png(0, 3), "without a pixel"),
        (png(MAX_SIDE + 1, 1), f"claims to have {MAX_SIDE + 1} x 1 pixels"),
        (png(MAX_SIDE, MAX_SIDE), "claims to have"),
        (png(2**31, 2**31), "claims to have"),
    ],
)
def test_what_is_none_says_why(data: bytes, why: str) -> None:
    with pytest.raises(NotAPngError, match=why):
        png_size(data)

"""The encodings that logs come in: UTF-8 with or without BOM, UTF-16 from PowerShell, single bytes."""

import codecs


def encoding_of(start: bytes) -> str:
    """The codec for a file that begins with these bytes; what is not UTF-16 is read as UTF-8 with replacement."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = start[:4096]
    even, odd = sample[0::2], sample[1::2]
    if len(odd) >= 8 and odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    if len(odd) >= 8 and even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd):
        return "utf-16-be"
    return "utf-8"


def decoded(data: bytes) -> str:
    """The text, without its BOM; bytes outside the encoding become U+FFFD."""
    return data.decode(encoding_of(data[:4096]), "replace").removeprefix("\ufeff")

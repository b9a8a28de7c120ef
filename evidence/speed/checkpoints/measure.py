"""How fast the checksums of a large checkpoint are compared, against zlib.crc32 over the same bytes in the same run.

    python measure.py FILE [--gigabytes 2] [--rounds 5]

Writes a checkpoint of 202 members to FILE if there is none (no torch needed). Each round measures, one after the other:
zlib.crc32 alone over every byte of the file (blocks of 1 MiB, the time of reading them not counted), and the check, reading
included. Wall time and processor time of the best rounds are printed, with the largest memory of this process.
"""

import argparse
import os
import random
import resource
import struct
import time
import zipfile
import zlib
from typing import NamedTuple

from trainproof_ci.readers.checkpoint import torch_zip, zip_crc
from trainproof_ci.readers.checkpoint.bytes_at import BytesAt

BLOCK = 1 << 20
TENSORS = 200
REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"


class Took(NamedTuple):
    wall: float
    processor: float


def write(path: str, gigabytes: float) -> None:
    """A checkpoint of `TENSORS` float32 tensors of random bytes below 1."""
    numel = int(gigabytes * 1e9 / TENSORS / 4)
    block = random.Random(0).randbytes(BLOCK)
    block = b"".join(block[place : place + 3] + b"\x3d" for place in range(0, BLOCK, 4))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}(" + b"".join(tensor(key, numel) for key in range(TENSORS)) + b"u.")
        for key in range(TENSORS):
            with archive.open(f"archive/data/{key}", "w", force_zip64=True) as member:
                for place in range(0, numel * 4, BLOCK):
                    member.write(block[: min(BLOCK, numel * 4 - place)])
        archive.writestr("archive/version", "3\n")


def tensor(key: int, numel: int) -> bytes:
    def text(value: str) -> bytes:
        return b"X" + struct.pack("<I", len(value)) + value.encode()

    size = b"J" + struct.pack("<i", numel)
    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text(str(key)) + text("cpu") + size + b"tQ"
    return text(f"layer.{key}.weight") + REBUILD + b"(" + storage + b"K\x00" + size + b"\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR"


def checksum_alone(at: BytesAt) -> Took:
    view = memoryview(bytearray(BLOCK))
    wall = processor = 0.0
    place = crc = 0
    while place < at.size:
        got = at.read_into(view[: min(BLOCK, at.size - place)], place)
        before, began = time.perf_counter(), time.process_time()
        crc = zlib.crc32(view[:got], crc)
        wall, processor = wall + time.perf_counter() - before, processor + time.process_time() - began
        place += got
    return Took(wall, processor)


def timed(action: object) -> Took:
    before, began = time.perf_counter(), time.process_time()
    assert callable(action)
    action()
    return Took(time.perf_counter() - before, time.process_time() - began)


def structure_alone(path: str, at: BytesAt) -> None:
    """Names, shapes, storages and imports, without checksums and weights."""
    torch_zip.read(path, at, deep=False, deadline=time.monotonic() + 60, checksums=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if not os.path.exists(arguments.file):
        write(arguments.file, arguments.gigabytes)
    with open(arguments.file, "rb") as file:
        at = BytesAt(file, os.path.getsize(arguments.file))
        archive = torch_zip.open_archive(at)
        structure = min(timed(lambda: structure_alone(arguments.file, at)).wall for _ in range(arguments.rounds))
        alone, checked = [], []
        for _ in range(arguments.rounds):
            alone.append(checksum_alone(at))
            checked.append(timed(lambda: zip_crc.check_all(at, archive.ordered, time.monotonic() + 3600)))
        whole = timed(lambda: torch_zip.read(arguments.file, at, deep=False, deadline=time.monotonic() + 3600))
        deep = timed(lambda: torch_zip.read(arguments.file, at, deep=True, deadline=time.monotonic() + 3600))
    size = at.size / 1e9
    best, own = min(alone), min(checked)
    print(f"file {size:.2f} GB, {len(archive.ordered)} members, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"structure without checksums   {structure * 1000:8.1f} ms")
    print(f"zlib.crc32 alone              {best.wall:8.3f} s  {size / best.wall:5.2f} GB/s, {min(a.processor for a in alone):.3f} s of processor")
    print(f"checksums compared            {own.wall:8.3f} s  {size / own.wall:5.2f} GB/s, {min(c.processor for c in checked):.3f} s of processor")
    print(f"speed against crc32           {best.wall / own.wall:8.2f} best wall; rounds {' '.join(f'{a.wall / c.wall:.2f}' for a, c in zip(alone, checked, strict=True))}")
    print(f"whole check, weights in part  {whole.wall:8.3f} s")
    print(f"whole check, --deep           {deep.wall:8.3f} s")
    print(f"largest memory                {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.1f} MiB")


if __name__ == "__main__":
    main()

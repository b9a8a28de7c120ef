"""What the machine has: memory and disk that are free now, with the tools of the standard library alone."""

import os
import shutil
import sys

from trainproof_ci.typed import NamedTuple


class Memory(NamedTuple):
    """Bytes of memory: what is available, or where that cannot be told the whole; `source` says which and from where."""

    available: int
    source: str


def memory() -> Memory | None:
    """The memory that a new process could have; None where the machine does not say."""
    found = _meminfo() or _windows() or _physical()
    limit = _cgroup()
    if found is not None and limit is not None and limit < found.available:
        return Memory(limit, "the limit of the container")
    return found


def _meminfo() -> Memory | None:
    try:
        with open("/proc/meminfo", "rb") as file:
            lines = file.read(1 << 16).decode("ascii", "replace").split("\n")
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return Memory(int(line.split()[1]) * 1024, "available")
    return None


def _cgroup() -> int | None:
    """What the control group of a container leaves of its limit."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            with open(limit, "rb") as file:
                allowed = int(file.read(64))
            with open(used, "rb") as file:
                return max(0, allowed - int(file.read(64)))
        except (OSError, ValueError):
            continue
    return None


def _physical() -> Memory | None:
    """All of the memory, free or not: what macOS and other systems tell without help."""
    try:
        return Memory(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), "in all")
    except (AttributeError, OSError, ValueError):
        return None


def _windows() -> Memory | None:
    if sys.platform != "win32":
        return None
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong), ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "available", "page", "page_free", "virtual", "virtual_free", "extended")),
        )  # fmt: skip

    status = Status()
    status.length = ctypes.sizeof(Status)
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return Memory(int(status.available), "available")


def free_disk(folder: str) -> int | None:
    """The bytes that this user can write on the file system of `folder`; None where it cannot be told."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None

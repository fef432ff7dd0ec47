"""What the operating system refuses, in the words of both languages: its own are in English on many machines."""

from __future__ import annotations

import errno

_REASONS = {
    errno.ENOENT: "没有这个文件或文件夹",
    errno.EEXIST: "已有同名的文件或文件夹",
    errno.EACCES: "没有权限",
    errno.EPERM: "没有权限",
    errno.EISDIR: "这是一个文件夹",
    errno.ENOTDIR: "路径上有一处是文件",
    errno.ENOSPC: "磁盘已满",
    errno.EROFS: "只读",
}


def system_reason(error: OSError) -> tuple[str, str]:
    """Why the system refused: in its own words, and in Chinese where we have such; else its own again."""
    reason = error.strerror or str(error)
    return reason, _REASONS.get(error.errno or 0, reason)

"""speedscope's npm package, of the version that is tested: fetched once by npm, checked by its digest."""

import base64
import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path

VERSION = "1.25.0"
DIGEST = "cpf9HWTZf1ijLXBJrk87Ve/54tnYx6rlf0gUThvn3ook6h63hLXVOQiMf44PT+XoV503cPfvfiT5gP5vojp6Ag=="


def find(folder):
    """(the folder of the release's files, None), or (None, why it is not there)."""
    folder = Path(folder)
    archive = folder / f"speedscope-{VERSION}.tgz"
    release = folder / f"package-{VERSION}" / "package" / "dist" / "release"
    if release.is_dir():
        return release, None
    if not archive.exists():
        if not shutil.which("npm"):
            return None, f"npm, which fetches speedscope {VERSION}, is not installed"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(["npm", "pack", f"speedscope@{VERSION}", "--silent", "--fetch-retries=1",
                                   "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--fetch-timeout=30000"], cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None, f"npm did not fetch speedscope {VERSION} within a minute"
        if done.returncode or not archive.exists():
            return None, f"npm cannot fetch speedscope {VERSION} (no network?)"
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != DIGEST:
        archive.unlink()
        raise SystemExit(f"speedscope {VERSION}: the package has the digest {digest}, not {DIGEST}")
    with tarfile.open(archive) as package:
        package.extractall(folder / f"package-{VERSION}", filter="data") if hasattr(tarfile, "data_filter") else package.extractall(
            folder / f"package-{VERSION}")
    return release, None

"""
Copies the chat templates out of the sources of llama-cpp-python: python templates.py SOURCES.tar.gz FOLDER

llama.cpp collects them from the models' own repositories, each under the licence of its model, so this repository has
no copy.
"""

import sys
import tarfile
from pathlib import Path, PurePosixPath

PLACE = ("vendor", "llama.cpp", "models", "templates")


def main(sources: str, folder: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tarfile.open(sources) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if member.isfile() and path.suffix == ".jinja" and path.parts[1:-1] == PLACE:
                Path(folder, path.name).write_bytes(archive.extractfile(member).read())


main(*sys.argv[1:])

"""Puts the program into a wheel of portcullis-gate, so that `pip install`, `uvx` and `pipx` bring `portcullis` as well: as it is, and not behind a
Python that starts it.

    python3 packaging/wheel.py WHEEL PROGRAM FOLDER

writes the wheel with the program, under the same name, into the folder and prints where.
"""

from __future__ import annotations

import base64
import hashlib
import pathlib
import sys
import zipfile


def with_program(wheel: pathlib.Path, program: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The wheel with the program among its scripts, which pip puts beside the interpreter."""
    made = folder / wheel.name
    if made.exists() and made.samefile(wheel):
        raise SystemExit("the folder must be another one than the wheel's")
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as given:
        [record] = [one for one in given.infolist() if one.filename.endswith(".dist-info/RECORD")]
        name = record.filename.removesuffix(".dist-info/RECORD")
        place = f"{name}.data/scripts/{'portcullis.exe' if program.suffix == '.exe' else 'portcullis'}"
        if place in given.namelist():
            raise SystemExit(f"{wheel.name} has a program already")
        content = program.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        said = given.read(record).decode().rstrip("\n")
        entry = zipfile.ZipInfo(place, record.date_time)
        entry.external_attr = 0o100755 << 16
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
            for one in given.infolist():
                if one is not record:
                    out.writestr(one, given.read(one), zipfile.ZIP_DEFLATED)
            out.writestr(entry, content, zipfile.ZIP_DEFLATED)
            out.writestr(record, f"{said}\n{place},sha256={digest},{len(content)}\n", zipfile.ZIP_DEFLATED)
    return made


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    print(with_program(*map(pathlib.Path, sys.argv[1:])))

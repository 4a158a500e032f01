"""The wheel of a release: the package, and the program on PATH beside it."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import venv
import zipfile

import pytest

import corpus
import portcullis_gate

SCRIPT = corpus.ROOT / "packaging/wheel.py"
NAME = "portcullis_gate-0.1.0"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """What `pip wheel` gives: the package, with the module that was built for this test."""
    package = pathlib.Path(portcullis_gate.__file__).parent
    files = {f"portcullis_gate/{one.name}": one.read_bytes() for one in package.iterdir() if one.is_file()}
    files[f"{NAME}.dist-info/METADATA"] = b"Metadata-Version: 2.1\nName: portcullis-gate\nVersion: 0.1.0\n"
    files[f"{NAME}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp310-abi3-linux_x86_64\n"
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    files[f"{NAME}.dist-info/RECORD"] = ("".join(lines) + f"{NAME}.dist-info/RECORD,,\n").encode()
    made = tmp_path_factory.mktemp("built") / f"{NAME}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out:
        for name, content in files.items():
            out.writestr(name, content)
    return made


def test_what_pip_installs_has_the_program_and_the_package(wheel, tmp_path):
    program = corpus.program()
    if program is None or not SCRIPT.is_file() or os.name == "nt":
        pytest.skip("there is no program to put into a wheel")
    if importlib.util.find_spec("ensurepip") is None:
        pytest.skip("this Python makes no environments")
    command = [sys.executable, SCRIPT, wheel, program, tmp_path / "out"]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    again = [sys.executable, SCRIPT, made, program, tmp_path / "again"]
    assert subprocess.run(again, capture_output=True).returncode == 1
    place = tmp_path / "environment"
    venv.create(place, with_pip=True)
    python = place / "bin/python"
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    pip = [python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check", made]
    subprocess.run(pip, check=True, env=clean, cwd=tmp_path)
    said = subprocess.run([place / "bin/portcullis", "--version"], check=True, capture_output=True, text=True, env=clean)
    assert said.stdout.startswith("portcullis 0.")
    denied = subprocess.run([place / "bin/portcullis", "check", "--no-record", "rm -rf ~"], capture_output=True, text=True, env=clean)
    assert denied.returncode not in (0, 1) and "home directory" in denied.stdout + denied.stderr, denied
    code = "from portcullis_gate import Gate; print(Gate(record=False).judge('bash', {'command': 'rm -rf ~'}).decision)"
    said = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True, env=clean, cwd=tmp_path)
    assert said.stdout == "deny\n"
    # What it brought goes with it.
    subprocess.run([python, "-m", "pip", "uninstall", "--yes", "--quiet", "portcullis-gate"], check=True, env=clean, cwd=tmp_path)
    assert not (place / "bin/portcullis").exists()

# SPDX-License-Identifier: MIT
"""Builds the distribution ouroboros-cpython with nothing but CPython and a C compiler.

pip calls build_wheel() and build_sdist() (PEP 517). Without pip:

    python3 cpython/backend/ouro_build.py FOLDER     # `make cpython` does this

compiles the extension modules into FOLDER, copies the packages beside them, and prints the
folder for PYTHONPATH. CC, CFLAGS and LDFLAGS are used; CFLAGS come last.

A package is a folder with Python files and, if EXTENSIONS names it, C files. Some C files are
shared with the library. They are below src/ of the repository, and an sdist includes them. Others
are shared by packages, and are in the folder shared/.
"""

import base64
import glob
import gzip
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# package: the extension module, and C sources from src/ that it is compiled with
EXTENSIONS = {
    "ouro_audit": ("_ouro_audit", ["check/audit.c", "check/audit_*.c", "../cli/fields.c",
                                   "inspect/graph.c", "inspect/texts.c",
                                   "inspect/describe.c"]),
    "ouro_heap": ("_ouro_heap", ["inspect/graph.c", "inspect/texts.c", "inspect/describe.c",
                                 "inspect/paths.c", "inspect/dominators.c",
                                 "inspect/write.c", "inspect/statics.c",
                                 "platform/segments.c"]),
    "ouro_gc": ("_ouro_gc", []),
}
SHARED_HEADERS = ["check/audit.h", "check/audit_rules.h", "../cli/fields.h",
                  "inspect/graph.h", "inspect/tracked.h", "inspect/statics.h",
                  "platform/platform.h"]
SHARED_BY = {"ouro_audit", "ouro_heap"}  # packages that use the folder shared/
PACKAGES = sorted(EXTENSIONS)
ENTRY_POINTS = "[pytest11]\nouro_audit = ouro_audit.plugin\n"
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-O2", "-g", "-fPIC",
         "-fno-semantic-interposition", "-Wl,-Bsymbolic"]


class BuildError(Exception):
    """What went wrong and what to do, as a message to the user."""


# --- where things are ------------------------------------------------------------------------


def shared_folder():
    """src/ of the repository, or the part of it that an sdist has."""
    for folder in (os.path.join(HERE, "src"), os.path.join(os.path.dirname(HERE), "src")):
        if os.path.exists(os.path.join(folder, SHARED_HEADERS[0])):
            return folder
    raise BuildError("the folder src/ of the repository is missing: build in a whole checkout")


def shared_files(patterns):
    folder = shared_folder()
    return [path for pattern in patterns
            for path in sorted(glob.glob(os.path.join(folder, pattern)))]


def project_value(key):
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return re.search(r'^%s = "(.*)"$' % re.escape(key), file.read(), re.M).group(1)


def python_files(package):
    return sorted(glob.glob(os.path.join(HERE, package, "*.py")))


# --- compiling -------------------------------------------------------------------------------


def compiler():
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def include_folder():
    folder = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(folder, "Python.h")):
        raise BuildError("%s has no headers in %s: install them (Debian: python3-dev)"
                         % (sys.executable, folder))
    return folder


def debug_information():
    """Flags for libdw, which names the fields of C structures; none if it is missing."""
    try:
        libraries = subprocess.run(["pkg-config", "--libs", "libdw"], check=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    except (OSError, subprocess.CalledProcessError):
        return [], []
    return ["-DOURO_HAVE_LIBDW"], libraries.decode().split()


def compile_extension(package, into):
    name, patterns = EXTENSIONS[package]
    target = os.path.join(into, package, name + sysconfig.get_config_var("EXT_SUFFIX"))
    folders = [package] + (["shared"] if package in SHARED_BY else [])
    sources = [path for folder in folders
               for path in sorted(glob.glob(os.path.join(HERE, folder, "*.c")))]
    sources += shared_files(patterns)
    defines, libraries = debug_information()
    command = (compiler() + FLAGS + defines
               + ["-I" + include_folder(), "-I" + shared_folder(),
                  "-I" + os.path.join(HERE, "shared")]
               + shlex.split(os.environ.get("CFLAGS", ""))
               + sources + ["-shared", "-o", target + ".new"]
               + libraries + shlex.split(os.environ.get("LDFLAGS", "")))
    try:
        subprocess.check_call(command)
    except FileNotFoundError:
        raise BuildError("there is no C compiler %r: install one, or set CC" % command[0])
    except subprocess.CalledProcessError:
        raise BuildError("%s could not be compiled; the compiler said why" % name)
    os.replace(target + ".new", target)  # a process may have the old one open


def write_information(folder):
    """Write the files that name this distribution, and that let pytest find its plugin."""
    info = os.path.join(folder, distribution() + ".dist-info")
    os.makedirs(info, exist_ok=True)
    for name, text in (("METADATA", metadata()), ("entry_points.txt", ENTRY_POINTS)):
        with open(os.path.join(info, name), "w", encoding="utf-8") as file:
            file.write(text)


def build_into(folder):
    """Compile and copy everything below the folder."""
    write_information(folder)
    for package in PACKAGES:
        os.makedirs(os.path.join(folder, package), exist_ok=True)
        compile_extension(package, folder)
        for path in python_files(package):
            shutil.copy(path, os.path.join(folder, package))


# --- what pip asks for -----------------------------------------------------------------------


def metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return "\n".join([
        "Metadata-Version: 2.1",
        "Name: " + project_value("name"),
        "Version: " + project_value("version"),
        "Summary: " + project_value("description"),
        "License: MIT",
        "Requires-Python: " + project_value("requires-python"),
        "Description-Content-Type: text/markdown",
        "", readme])


def distribution():
    return "%s-%s" % (project_value("name").replace("-", "_"), project_value("version"))


def wheel_tag():
    version = "cp%d%d" % sys.version_info[:2]
    abi = version + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "") + (
        "d" if hasattr(sys, "gettotalrefcount") else "")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return "%s-%s-%s" % (version, abi, platform)


def files_below(folder):
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            full = os.path.join(path, name)
            yield os.path.relpath(full, folder), full


def write_wheel(path, folder):
    info = distribution() + ".dist-info/"
    contents = {}
    for name, full in files_below(folder):
        with open(full, "rb") as file:
            contents[name] = file.read()
    contents[info + "WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: ouro_build\nRoot-Is-Purelib: false\nTag: %s\n"
        % wheel_tag()).encode()
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in contents.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            record.append("%s,sha256=%s,%d\n" % (name, digest.decode(), len(data)))
            wheel.writestr(name, data)
        record.append(info + "RECORD,,\n")
        wheel.writestr(info + "RECORD", "".join(record))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = "%s-%s.whl" % (distribution(), wheel_tag())
    with tempfile.TemporaryDirectory() as folder:
        build_into(folder)
        write_wheel(os.path.join(wheel_directory, name), folder)
    return name


def sdist_files():
    for name in ("pyproject.toml", "README.md", "backend/ouro_build.py"):
        yield name, os.path.join(HERE, name)
    for package in PACKAGES + ["shared"]:
        for path in sorted(glob.glob(os.path.join(HERE, package, "*.[pch]*"))):
            yield os.path.relpath(path, HERE), path
    shared = [pattern for _, patterns in EXTENSIONS.values() for pattern in patterns]
    for path in shared_files(shared + SHARED_HEADERS):
        name = os.path.join("src", os.path.relpath(path, shared_folder()))
        yield os.path.normpath(name), path


def build_sdist(sdist_directory, config_settings=None):
    name = distribution() + ".tar.gz"
    with open(os.path.join(sdist_directory, name), "wb") as file, \
            gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        def add(path, data):
            member = tarfile.TarInfo(distribution() + "/" + path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        add("PKG-INFO", metadata().encode())
        for path, full in sdist_files():
            with open(full, "rb") as source:
                add(path, source.read())
    return name


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        build_into(arguments[0])
    except BuildError as error:
        print("ouro_build: %s" % error, file=sys.stderr)
        return 1
    print(os.path.abspath(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Own debs: svcd's Debian packages, and the same with higher versions.

build() makes them from the build of the test, with the file names of Debian 12. compile_for() runs
tools/build-packages.
"""

import filecmp
import glob
import os
import shutil
import subprocess

TOP = os.environ["SVCD_SOURCE"]
BUILD = os.environ["SVCD_BUILD"]
NAMES = ("svcd", "svcd-init")
SOURCES = ("debian", "docs", "README.md", "CHANGELOG.md")


def _run(*argv, **options):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)}: exit {done.returncode}\n{done.stdout[-4000:]}")


def _found(directory):
    return {os.path.basename(path).split("_")[0]: path for path in glob.glob(f"{directory}/*.deb") if "-dbgsym_" not in path}


def build(directory):
    """Make all packages in @directory, which is empty; returns a dictionary from names to files."""
    source = f"{directory}/source"
    os.mkdir(source)
    for name in SOURCES:
        _run("cp", "-a", f"{TOP}/{name}", source)
    environment = dict(os.environ, SVCD_BUILT=BUILD, DEB_BUILD_OPTIONS="nostrip noautodbgsym nocheck", DPKG_DEB_COMPRESSOR_TYPE="none")
    _run("dpkg-buildpackage", "--no-pre-clean", "--no-check-builddeps", "--build=binary", "--no-sign", cwd=source, env=environment)
    shutil.rmtree(source)
    return _found(directory)


def compile_for(release, directory):
    """Make all packages from the last commit with tools/build-packages. Check that lintian finds no
    fault, and that a second build makes identical files."""
    for name in ("first", "second"):
        _run(f"{TOP}/tools/build-packages", "--suite", release, f"{directory}/{name}")
    first = _found(f"{directory}/first")
    for path in first.values():
        assert filecmp.cmp(path, path.replace("/first/", "/second/"), shallow=False), f"{path}: another build differs"
    _run("lintian", "--allow-root", "--fail-on", "error,warning", *glob.glob(f"{directory}/first/*.changes"))
    return first


def renewed(path, version, *commands):
    """A file with the same package in that version, after changes of its tree by shell commands."""
    tree = f"{path}.tree"
    _run("dpkg-deb", "--raw-extract", path, tree)
    for command in (f"sed -i -E 's/^(Version: ).*/\\1{version}/; s/svcd \\(= [^)]*/svcd (= {version}/' DEBIAN/control", *commands):
        _run("sh", "-c", command, cwd=tree)
    new = f"{path.removesuffix('.deb')}-{version}.deb"
    _run("dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, new)
    shutil.rmtree(tree)
    return new

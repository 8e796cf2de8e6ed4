# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Runner: the main part of tests/run. Builds twice, finds the tests, runs them in parallel, and
counts.

Builds: "sanitized" for unit and sandbox tests; "bare" for lints, the simulation and whole machines,
because statements about PID 1's libraries, threads and memory hold only there. A test is any
executable that exits with 0 (passed), 77 (skipped) or another status (failed). Its first lines may
contain a mark: "limit: 600" is a time limit in seconds instead of its kind's.
"""

import argparse
import concurrent.futures
import contextlib
import glob
import importlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from select import POLLIN, poll

import sysctls

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
TOP = os.path.dirname(TESTS)
CACHE = os.environ.get("SVCD_CACHE", "/var/cache/svcd-tests")

PROCESSORS = os.cpu_count() or 2

SKIPPED = 77
HISTORIES = 50_000
HISTORIES_LONG = 1_000_000
# The number of random machines, each with five changes.
FORECASTS = 1_000
FORECASTS_LONG = 20_000
WINDOW_S_LONG = "30"  # between unpacking and configuring a package
DAYS = 1
FIRST_SEED = 1

# Time limits of hanging tests in seconds. They measure no speed, because the machine may have ten
# times its normal load.
LIMITS = {"unit": 600, "sim": 1800, "sandbox": 600, "daemons": 1200, "packages": 1800, "lint": 1200, "lsb": 1200, "desktop": 600,
          "boot": 1800, "fuzz": 3600, "bench": 900}

OUTPUT_LINES = 150

# Each of these keeps a processor busy. The others mostly wait for processes and deadlines. So both
# kinds run at the same time, but only a few heavy tests.
HEAVY = ("boot", "sim", "lint", "fuzz")


class Test:
    """One command, and its result."""

    def __init__(self, kind, name, argv, build, directory=None, environment=None):
        self.kind = kind
        self.name = f"{kind}/{name}"
        self.argv = argv
        self.build = build
        self.directory = directory
        self.environment = environment or {}
        self.limit = limit_of(argv[-1]) or LIMITS[kind]
        self.is_heavy = kind in HEAVY
        self.result = None
        self.seconds = 0.0
        self.cpu_seconds = 0.0  # of reaped children, without orphans
        self.output = ""


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/run", description="Runs svcd's tests. Without options: all of the normal run.")
    parser.add_argument("--only", metavar="PATTERN", action="append", default=[],
                        help="only tests whose kind/name contains PATTERN (a regular expression); may be repeated")
    parser.add_argument("--no-boot", action="store_true", help="leave out the whole machines in QEMU")
    parser.add_argument("--long", action="store_true", help="also the long tests: more histories, more rounds")
    parser.add_argument("--fuzz", action="store_true", help="only the fuzzers, for some minutes each")
    parser.add_argument("--bench", action="store_true", help="only the benches; prints their JSON, asserts no times")
    parser.add_argument("--list", action="store_true", help="print the names and run nothing")
    parser.add_argument("--jobs", type=int, default=PROCESSORS + 4, help="tests side by side; at most half of them, and one for each processor, are heavy")
    return parser.parse_args()


def setup(*argv):
    """Run one verb of tests/lib/setup; returns the last line of its output."""
    done = subprocess.run([f"{HERE}/setup", *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "SVCD_WERROR": "yes"})
    if done.returncode:
        raise SystemExit(f"tests/run: {' '.join(argv)} failed")
    return (done.stdout.strip().splitlines() or [""])[-1]


def make_variable(build, name):
    """The tokens of a variable of the Makefile."""
    rule = f"include Makefile\nprint-variable: ; @echo $({name})\n"
    done = subprocess.run(["make", "-s", "-f", "-", "print-variable"], cwd=build, input=rule, stdout=subprocess.PIPE,
                          text=True, check=True)
    return done.stdout.split()


def find_executables(kind, pattern="*"):
    for path in sorted(glob.glob(f"{TESTS}/{kind}/{pattern}")):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            yield os.path.basename(path), path
        elif re.fullmatch(r"(test|long)_\w+\.(py|js)", os.path.basename(path)):
            sys.exit(f"tests/run: {path} is a test and not executable, so it would never run: chmod +x")


def make(build, *goals):
    subprocess.run(["make", "-s", f"-j{PROCESSORS}", *goals], cwd=build, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def make_other_programs(build):
    """Build the programs of "make check" that are not unit tests."""
    make(build, *(name for name in make_variable(build, "check_PROGRAMS") if not name.startswith("tests/unit/")),
         *make_variable(build, "check_DATA"))


def find_unit_tests(builds):
    """The unit tests of "make check", from the sanitized build."""
    build = f"{builds}/sanitized"
    make(build, "check", "TESTS=")
    environment = {"srcdir": TOP, "top_srcdir": TOP, "top_builddir": build, "builddir": build}
    for name in make_variable(build, "TESTS"):
        if name.startswith("tests/sim/"):
            continue  # find_simulations() runs them with all histories
        path = f"{build}/{name}" if os.path.exists(f"{build}/{name}") else f"{TOP}/{name}"
        short = name.removeprefix("tests/unit/")
        yield Test("unit", short, ["/usr/bin/python3", f"{HERE}/isolate.py", path], "sanitized", build, environment)


def find_simulations(builds, n_histories, n_forecasts):
    """The simulations, one process per CPU. Each history has a seed, so each process gets a range
    of seeds."""
    n_shares = 2
    share = n_histories // n_shares
    for number in range(n_shares):
        first = FIRST_SEED + number * share
        argv = [f"{builds}/bare/tests/sim/simulate", "--first", str(first), "--count", str(share)]
        yield Test("sim", f"histories-{first}-{first + share - 1}", argv, "bare", f"{builds}/bare")
    yield Test("sim", "days", [f"{builds}/bare/tests/sim/simulate", "--first", str(FIRST_SEED), "--day", str(DAYS)], "bare", f"{builds}/bare")
    yield Test("sim", "forecasts", [f"{builds}/bare/tests/sim/forecasts", "--count", str(n_forecasts)],
               "bare", f"{builds}/bare")


def find_scripts(kind, build, pattern="*", environment=None):
    for name, path in find_executables(kind, pattern):
        yield Test(kind, name.removesuffix(".py").removesuffix(".js"), [path], build, environment=environment)


def find_packages(is_long):
    """A test for each row and release of the table, and a comparison of sockets with systemd. The
    normal run has some of the rows, each with one of its releases. The choice of the release
    alternates from row to row."""
    sys.path.append(f"{TESTS}/packages")
    table = importlib.import_module("table")
    window = {"SVCD_TEST_WINDOW_S": WINDOW_S_LONG} if is_long else {}
    normal = [row.name for row in table.PACKAGES if row.normal]
    for row in table.PACKAGES:
        for release in row.releases:
            if is_long or row.normal and release == row.releases[normal.index(row.name) % len(row.releases)]:
                yield Test("packages", f"{release}-{row.name}", [f"{TESTS}/packages/life_of_package", release, row.name], "bare",
                           environment=window)
            if is_long and row.runs_under_systemd:
                yield Test("packages", f"{release}-{row.name}-sockets", [f"{TESTS}/packages/sockets_under_systemd", release, row.name], "bare")
    yield from find_scripts("packages", "bare", "test_*")
    for release in ("bookworm", "trixie") if is_long else ():
        yield Test("packages", f"{release}-own-packages", [f"{TESTS}/packages/test_own_packages", release], "bare")


def find_tests(options, builds):
    """All tests; Lanes decides the order."""
    if options.fuzz:
        return list(find_scripts("fuzz", "sanitized", "fuzz_*"))
    if options.bench:
        return list(find_scripts("bench", "bare", "bench_*"))
    tests = []
    if not options.no_boot:
        tests += find_scripts("boot", "bare", "test_*")
        if options.long:
            tests += find_scripts("boot", "bare", "long_*")
    tests += find_simulations(builds, HISTORIES_LONG if options.long else HISTORIES,
                              FORECASTS_LONG if options.long else FORECASTS)
    tests += find_scripts("lint", "bare", environment={"SVCD_TEST_DISTCHECK": "all"} if options.long else None)
    tests += find_scripts("lsb", "sanitized", "test_*")
    tests += find_scripts("desktop", "bare", "test_*")
    tests += find_scripts("daemons", "sanitized", "test_*")
    tests += find_packages(options.long)
    tests += find_scripts("sandbox", "sanitized", "test_*")
    if options.long:
        tests += find_scripts("sandbox", "sanitized", "long_*")
    tests += find_unit_tests(builds)
    return tests


def select(tests, patterns):
    if not patterns:
        return tests
    return [test for test in tests if any(re.search(pattern, test.name) for pattern in patterns)]


def artifacts_of(builds):
    """The directory for artifacts of a test, such as screenshots."""
    return os.environ.get("SVCD_ARTIFACTS", f"{builds}/artifacts")


# Further variables for tests: rounds, seeds, durations (see the first lines of each test).
FOR_TESTS = ("SVCD_TEST_", "SVCD_FUZZ_", "SVCD_BENCH_", "SVCD_TORTURE_")


def environment_of(test, builds):
    environment = {name: os.environ[name] for name in ("PATH", "TERM", "TMPDIR", "CI", "SVCD_MIRROR", "http_proxy", "https_proxy")
                   if name in os.environ}
    environment.update({name: value for name, value in os.environ.items() if name.startswith(FOR_TESTS)})
    environment.update({
        "HOME": "/root", "LANG": "C.UTF-8", "PYTHONPATH": HERE, "PYTHONDONTWRITEBYTECODE": "1",
        "SVCD_CACHE": CACHE,
        "SVCD_SOURCE": TOP,
        "SVCD_BUILD": f"{builds}/{test.build}",
        "SVCD_STAGE": f"{builds}/stage-{test.build}",
        "SVCD_BUILDS": builds,
        "SVCD_ARTIFACTS": artifacts_of(builds),
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    })
    environment.update(test.environment)
    return environment


def limit_of(path):
    """The time limit in the first lines of a test, or None."""
    try:
        with open(path, "rb") as file:
            found = re.search(rb"limit: (\d+)", file.read(1024))
    except OSError:
        return None
    return found and int(found.group(1))


def ends_within(pid, seconds):
    """Wait for a child without reaping it."""
    fd = os.pidfd_open(pid)
    try:
        waiting = poll()
        waiting.register(fd, POLLIN)
        return bool(waiting.poll(seconds * 1000))
    finally:
        os.close(fd)


class Lanes:
    """
    The order of tests: one lane for each processor takes heavy tests first, the others light ones;
    then each takes the rest.

    At most one heavy test for each processor runs at a time, because more would starve each other.
    """

    def __init__(self, tests, n_lanes):
        self.n_lanes = n_lanes
        self.n_heavy_first = min(PROCESSORS, (n_lanes + 1) // 2)
        self.n_free = self.n_heavy_first
        # The longest first, because at the end nothing runs beside the last test.
        tests = sorted(tests, key=lambda test: test.limit, reverse=True)
        self.heavy = [test for test in tests if test.is_heavy]
        self.light = [test for test in tests if not test.is_heavy]
        self.changed = threading.Condition()

    def run(self, work):
        with concurrent.futures.ThreadPoolExecutor(self.n_lanes) as pool:
            list(pool.map(lambda number: self._run_lane(work, number), range(self.n_lanes)))

    def _run_lane(self, work, number):
        is_heavy_first = number < self.n_heavy_first
        while test := self._take(is_heavy_first):
            work(test)
            with self.changed:
                self.n_free += test.is_heavy
                self.changed.notify_all()

    def _take(self, is_heavy_first):
        """Wait for a test that may start. Returns None if all are done."""
        with self.changed:
            while self.heavy or self.light:
                heavy = self.heavy if self.n_free else []
                for tests in (heavy, self.light) if is_heavy_first else (self.light, heavy):
                    if tests:
                        test = tests.pop(0)
                        self.n_free -= test.is_heavy
                        return test
                self.changed.wait()
        return None


def prefer(pid):
    """
    Give a machine most of a processor. The kernel divides processors by session (sched(7),
    "autogroup"), and a sandbox has one for each of its daemons. Without a preference the guest of a
    machine would reach the time limits of its services.
    """
    with contextlib.suppress(OSError), open(f"/proc/{pid}/autogroup", "w", encoding="utf-8") as file:
        file.write("-10")


class Runner:
    """Runs tests in threads; each is a process group, which is killed after its time limit."""

    def __init__(self, builds):
        self.builds = builds
        self.logs = f"{builds}/logs"
        self.lock = threading.Lock()
        self.alive = set()
        for directory in (self.logs, artifacts_of(builds)):
            os.makedirs(directory, exist_ok=True)

    def run(self, test):
        log = f"{self.logs}/{test.name.replace('/', '-')}.log"
        began = time.monotonic()
        try:
            with open(log, "wb") as out:
                status = self._run_process(test, out)
        except OSError as problem:
            status = str(problem)
        test.seconds = time.monotonic() - began
        with open(log, encoding="utf-8", errors="replace") as text:
            test.output = text.read()
        if isinstance(status, int) and status < 0:
            status = f"tests/run: killed by signal {-status}"
        if isinstance(status, str):
            test.output += status + "\n"
        test.result = {0: "ok", SKIPPED: "skip"}.get(status, "FAIL")
        self._print(test)

    def _run_process(self, test, out):
        process = subprocess.Popen(test.argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   cwd=test.directory or TOP, env=environment_of(test, self.builds),
                                   start_new_session=True)
        if test.is_heavy:
            prefer(process.pid)
        with self.lock:
            self.alive.add(process.pid)
        try:
            is_ended = ends_within(process.pid, test.limit)
        finally:
            self._kill_group(process.pid)
            _pid, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            test.cpu_seconds = usage.ru_utime + usage.ru_stime
            with self.lock:
                self.alive.discard(process.pid)
        return process.returncode if is_ended else f"tests/run: not finished after {test.limit} s"

    @staticmethod
    def _kill_group(group):
        """Kill the leftovers of a test before the next one."""
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def kill_all(self):
        with self.lock:
            for group in self.alive:
                self._kill_group(group)

    def _print(self, test):
        with self.lock:
            print(f"{test.result:<5} {test.name:<60} {test.seconds:7.1f} s {test.cpu_seconds:7.1f} s of CPU", flush=True)
            if test.result == "ok" and test.kind != "bench":
                return
            lines = test.output.splitlines()
            if len(lines) > OUTPUT_LINES:
                print(f"      ... {len(lines) - OUTPUT_LINES} lines more in {self.logs}")
            for line in lines[-OUTPUT_LINES:]:
                print(f"      | {line}")
            sys.stdout.flush()


def remove_stale_cgroups():
    """Remove the directories of killed tests: the name contains the pid."""
    for path in glob.glob("/sys/fs/cgroup/**/svcd-test-*", recursive=True):
        found = re.search(r"svcd-test-(\d+)(-|$)", path)
        if not found or os.path.exists(f"/proc/{found.group(1)}") or not os.path.isdir(path):
            continue
        for directory, _names, _files in os.walk(path, topdown=False):
            try:
                os.rmdir(directory)
            except OSError:
                pass


def build_all(options):
    """Return the directory of the builds. A part that the chosen tests do not need is not built."""
    began = time.monotonic()
    if options.fuzz:
        setup("packages", "fuzz")
    if options.long:
        setup("packages", "long")
    builds = setup("dir")
    os.makedirs(builds, exist_ok=True)
    setup("stage", *(("bare",) if options.bench else ("sanitized",) if options.fuzz else ("sanitized", "bare")))
    if not options.fuzz:
        make_other_programs(f"{builds}/bare")
    print(f"built in {builds} in {time.monotonic() - began:.0f} s", flush=True)
    return builds


def main():
    options = parse_arguments()
    began = time.monotonic()
    remove_stale_cgroups()
    builds = build_all(options)
    tests = select(find_tests(options, builds), options.only)
    if options.list:
        print("\n".join(test.name for test in tests))
        return 0

    with sysctls.as_debian(CACHE):
        return run_all(options, builds, tests, began)


def run_all(options, builds, tests, began):
    runner = Runner(builds)
    try:
        Lanes(tests, 1 if options.bench else options.jobs).run(runner.run)
    except KeyboardInterrupt:
        runner.kill_all()
        raise
    remove_stale_cgroups()

    counts = {result: sum(test.result == result for test in tests) for result in ("ok", "FAIL", "skip")}
    for test in tests:
        if test.result == "FAIL":
            print(f"failed: {test.name}")
    print(f"took {time.monotonic() - began:.0f} s")
    print(f"{counts['ok']} passed, {counts['FAIL']} failed, {counts['skip']} skipped", flush=True)
    return 1 if counts["FAIL"] or not counts["ok"] else 0


sys.exit(main())

"""Speeds and misses of cache-trials and libcachesim on the same files, alternately; tables in Markdown.

Called by compare-with-libcachesim. One thread each, one run of each after the other, medians. libcachesim's time is
that of process_trace, which reads the file that is already open, one pass for each size. Our time is the output of
`replay --timing`: from opening the file to the last count, one pass for all sizes.
"""

import argparse
import csv
import datetime
import io
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import libcachesim

PEERS = {
    "lru": libcachesim.LRU,
    "fifo": libcachesim.FIFO,
    "clock": libcachesim.Clock,
    "sieve": libcachesim.Sieve,
    "s3-fifo": libcachesim.S3FIFO,
    "two-queue": libcachesim.TwoQ,
    "arc": libcachesim.ARC,
    "lfu": libcachesim.LFU,
    "w-tinylfu": libcachesim.WTinyLFU,
    "lirs": libcachesim.LIRS,
    "s4lru": libcachesim.SLRU,
    "mq": libcachesim.MQ,
    "lru-k": libcachesim.LRUK,
    "lfuda": libcachesim.LFUDA,
    "gdsf": libcachesim.GDSF,
    "clock-pro": libcachesim.ClockPro,
    "clock2q-plus": libcachesim.Clock2QPlus,
    "s4-fifo": libcachesim.S3FIFO,
    "hyperbolic": libcachesim.Hyperbolic,
    "lhd": libcachesim.LHD,
    "lecar": libcachesim.LeCaR,
    "cacheus": libcachesim.Cacheus,
    "random": libcachesim.Random,
    "optimal": libcachesim.Belady,
}
# Why the misses of some policies differ.
VARIANTS = {
    "s3-fifo": "ours is what 0.3.5 calls S3FIFOv0; its S3FIFO fills the main queue too before the first eviction, "
               "as `s3-fifo(fill-main=1)` and `s4-fifo` do",
    "lru-k": "ours remembers evicted keys; `lru-k(history=0%)` equals libcachesim's",
    "lfuda": "libcachesim's adds the whole age at each hit; ours equals its GDSF with objects of one size",
    "clock-pro": "in libcachesim, an object that returns in its test period never becomes resident",
    "hyperbolic": "other random numbers",
    "lhd": "other random numbers",
    "lecar": "other random numbers",
    "cacheus": "ours follows the program of its authors",
    "w-tinylfu": "another sketch; libcachesim's window does not adapt",
    "lirs": "ours follows the program of LIRS's authors",
    "random": "other random numbers",
}
# The trace, the size for one, the ten sizes, and the hash power at which libcachesim is fastest on it.
TRACES = {
    "OLTP": (1000, [500 * step for step in range(1, 11)], 16),
    "P3": (32768, [8192 * step for step in range(1, 11)], 18),
}
CURVE_SIZES = [1000 * step for step in range(1, 101)]


def peer(policy, path, sizes, power):
    """Seconds and miss ratios of libcachesim."""
    ratios, seconds = [], 0.0
    for size in sizes:
        reader = libcachesim.TraceReader(
            trace=path,
            trace_type=libcachesim.TraceType.ORACLE_GENERAL_TRACE,
            reader_init_params=libcachesim.ReaderInitParam(ignore_obj_size=True),
        )
        cache = PEERS[policy](cache_size=size, hashpower=power)
        start = time.perf_counter()
        ratio, _ = cache.process_trace(reader)
        seconds += time.perf_counter() - start
        ratios.append(ratio)
    return seconds, ratios


def ours(program, policy, path, sizes):
    """Seconds and miss ratios of cache-trials."""
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(
            [program, "replay", path, "--policies", policy, "--capacities", ",".join(map(str, sizes)),
             "--format", "csv", "--timing", "--output", os.path.join(folder, "results")],
            capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(io.StringIO(output.stdout)))
    seconds = float(output.stderr.rsplit("seconds: ", 1)[1].split()[0])
    # Policies that are bounds add rows of no other policy.
    return seconds, [int(row["misses"]) / int(row["requests"]) for row in rows if row["policy"] == policy]


def medians(rounds, first, second):
    """Runs two functions alternately; returns the median seconds of each, and the last ratios of each."""
    seconds = ([], [])
    ratios = [None, None]
    for _ in range(rounds):
        for index, run in enumerate((first, second)):
            took, ratios[index] = run()
            seconds[index].append(took)
    return statistics.median(seconds[0]), statistics.median(seconds[1]), ratios


def agreement(ratios):
    """Whether the misses of all sizes are the same, and if not, the largest difference in points."""
    furthest = max(abs(a - b) * 100 for a, b in zip(*ratios))
    # The ratio of libcachesim is a float of the miss count; one miss is more than this in each of the traces.
    if furthest < 2e-5:
        return "equal"
    return f"{furthest:.2f} points apart"


def compare(options, trace, sizes):
    """A table of all policies."""
    path = os.path.join(options.work, f"{trace}.bin")
    power = TRACES[trace][2]
    requests = os.path.getsize(path) // 24 * len(sizes) / 1e6
    # Ten passes over the file are long enough to average out more of the machine's noise.
    rounds = options.rounds if len(sizes) == 1 else min(options.rounds, 3)
    size = f"{sizes[0]} entries" if len(sizes) == 1 else f"ten sizes, {sizes[0]} to {sizes[-1]} entries"
    yield f"\n## {trace}, {size}\n"
    yield "| policy | libcachesim, M requests/s | cache-trials, M requests/s | ratio | misses |"
    yield "| --- | ---: | ---: | ---: | --- |"
    for policy in options.policies:
        theirs, own, ratios = medians(
            rounds,
            lambda: peer(policy, path, sizes, power),
            lambda: ours(options.program, policy, path, sizes))
        yield (f"| {policy} | {requests / theirs:.1f} | {requests / own:.1f} | {theirs / own:.1f} "
               f"| {agreement(ratios)} |")


def compare_curves(options):
    """LRU at a hundred sizes, beside five runs of libcachesim with one size each."""
    path = os.path.join(options.work, "OLTP.bin")
    five, power = CURVE_SIZES[:5], TRACES["OLTP"][2]
    theirs, own, ratios = medians(
        options.rounds,
        lambda: peer("lru", path, five, power),
        lambda: ours(options.program, "lru", path, CURVE_SIZES))
    yield "\n## The LRU curve of OLTP, exact\n"
    yield "| what | ms |"
    yield "| --- | ---: |"
    yield f"| libcachesim, five sizes, one after the other | {theirs * 1000:.0f} |"
    yield f"| cache-trials, {len(CURVE_SIZES)} sizes in one pass; misses {agreement(ratios)} | {own * 1000:.0f} |"


def machine():
    """The processor's name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def head(options):
    """The conditions of the figures."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    yield "# cache-trials beside libcachesim\n"
    yield "`scripts/compare-with-libcachesim`: replay on one thread, including reading the file."
    ten = min(options.rounds, 3)
    yield f"Medians of {options.rounds} runs of each program ({ten} with ten sizes), run one after the other. Both read the same"
    yield "oracleGeneral file; the ratio is ours to theirs. libcachesim's hash tables have the size at which it is fastest"
    yield "(`hashpower` 16 and 18).\n"
    yield "| | |"
    yield "| --- | --- |"
    cores = len(os.sched_getaffinity(0))
    yield f"| machine | {cores} cores, {machine()}, {platform.system()} {platform.release()} |"
    yield f"| libcachesim | 0.3.5 from PyPI, Python {platform.python_version()} |"
    yield f"| cache-trials | release, {swift_version()} |"
    yield f"| date | {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d} |"
    yield f"| load average before | {load} |"


def swift_version():
    """The compiler's version."""
    swift = shutil.which("swift")
    text = subprocess.run([swift, "--version"], capture_output=True, text=True, check=False).stdout if swift else ""
    words = text.split()
    return f"Swift {words[words.index('version') + 1]}" if "version" in words else "Swift"


def parse():
    parser = argparse.ArgumentParser(prog="scripts/compare-with-libcachesim")
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("work", help=argparse.SUPPRESS)
    parser.add_argument("--output", help="a file for the tables, in Markdown; it is replaced")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is run (default: 5)")
    parser.add_argument(
        "--policies", default=",".join(PEERS), help="separated by commas (default: all that both have)")
    parser.add_argument("--quick", action="store_true", help="one size only")
    options = parser.parse_args()
    options.policies = options.policies.split(",")
    unknown = [policy for policy in options.policies if policy not in PEERS]
    if unknown:
        parser.error(f"both have no policy called {', '.join(unknown)}; there are: {', '.join(PEERS)}")
    if options.rounds < 1:
        parser.error("--rounds needs a number of at least 1")
    return options


def lines(options):
    yield from head(options)
    for trace, (one, ten, _) in TRACES.items():
        yield from compare(options, trace, [one])
        if not options.quick:
            yield from compare(options, trace, ten)
    yield from compare_curves(options)
    yield "\n## Where misses differ\n"
    for policy in options.policies:
        if policy in VARIANTS:
            yield f"- `{policy}`: {VARIANTS[policy]}."


def main():
    options = parse()
    written = []
    for line in lines(options):
        print(line, flush=True)
        written.append(line + "\n")
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.writelines(written)


if __name__ == "__main__":
    sys.exit(main())

"""Speeds and misses of cache-trials and libcachesim on the same files, alternately; a table in Markdown.

Called by compare-with-libcachesim. One thread each. Times include reading the file: libcachesim's process_trace reads
it, and ours are the reading and the replay of `cache-trials replay --format csv --timing`.
"""

import csv
import io
import statistics
import subprocess
import sys
import time

import libcachesim as lcs

ROUNDS = 5
POLICIES = {
    "lru": lcs.LRU,
    "fifo": lcs.FIFO,
    "clock": lcs.Clock,
    "sieve": lcs.Sieve,
    "s3-fifo": lcs.S3FIFO,
    "two-queue": lcs.TwoQ,
    "arc": lcs.ARC,
    "lfu": lcs.LFU,
    "w-tinylfu": lcs.WTinyLFU,
    "lirs": lcs.LIRS,
    "optimal": lcs.Belady,
}
# The trace, the size for one, the ten sizes, and the hash power at which libcachesim is fastest on it.
TRACES = [
    ("OLTP", 1000, [500 * step for step in range(1, 11)], 16),
    ("P3", 32768, [8192 * step for step in range(1, 11)], 18),
]


def peer(policy, path, sizes, power):
    """Seconds and misses of libcachesim: one pass over the file for each size."""
    misses, start = [], time.perf_counter()
    for size in sizes:
        reader = lcs.TraceReader(
            trace=path,
            trace_type=lcs.TraceType.ORACLE_GENERAL_TRACE,
            reader_init_params=lcs.ReaderInitParam(ignore_obj_size=True),
        )
        cache = POLICIES[policy](cache_size=size, hashpower=power)
        ratio, _ = cache.process_trace(reader)
        misses.append(ratio)
    return time.perf_counter() - start, misses


def ours(program, policy, path, sizes):
    """Seconds and miss ratios of cache-trials: one pass for all sizes; the program's start is not in it."""
    output = subprocess.run(
        [program, "replay", path, "--policies", policy, "--capacities", ",".join(map(str, sizes)),
         "--format", "csv", "--timing"],
        capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(io.StringIO(output.stdout)))
    seconds = float(output.stderr.rsplit("seconds: ", 1)[1].split()[0])
    return seconds, [int(row["misses"]) / int(row["requests"]) for row in rows]


def main():
    program, work = sys.argv[1], sys.argv[2]
    print("| trace | sizes | policy | libcachesim, M requests/s | cache-trials, M requests/s | ratio | misses |")
    print("| --- | ---: | --- | ---: | ---: | ---: | --- |")
    for name, one, ten, power in TRACES:
        path = f"{work}/{name}.bin"
        with open(path, "rb") as file:
            requests = file.seek(0, 2) // 24
        for sizes in ([one], ten):
            for policy in POLICIES:
                if len(sizes) > 1 and policy not in ("lru", "sieve", "s3-fifo", "arc"):
                    continue
                theirs, mine = [], []
                for _ in range(ROUNDS):
                    seconds, their_misses = peer(policy, path, sizes, power)
                    theirs.append(seconds)
                    seconds, my_misses = ours(program, policy, path, sizes)
                    mine.append(seconds)
                work_done = requests * len(sizes) / 1e6
                their_speed = work_done / statistics.median(theirs)
                my_speed = work_done / statistics.median(mine)
                off = max(abs(a - b) * 100 for a, b in zip(their_misses, my_misses))
                agree = "equal" if off < 5e-5 else f"{off:.2f} points apart"
                print(f"| {name} | {len(sizes)} | {policy} | {their_speed:.1f} | {my_speed:.1f} "
                      f"| {my_speed / their_speed:.2f} | {agree} |", flush=True)


main()

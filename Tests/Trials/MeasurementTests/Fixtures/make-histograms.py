#!/usr/bin/env python3
"""Writes histograms.json: histograms encoded by HdrHistogram's package for Python.

    python3 -m venv venv && venv/bin/pip install hdrhistogram==0.10.8
    venv/bin/python make-histograms.py > histograms.json
"""

import json

from hdrh.histogram import HdrHistogram

HOUR = 3_600_000_000_000

# Values, each with how often it was recorded.
CASES = {
    "empty": [],
    "zero": [(0, 1)],
    "one value": [(123_456_789, 1)],
    "neighbours": [(value, value % 7 + 1) for value in range(1_900, 2_300)],
    "every doubling": [(1 << power, power + 1) for power in range(42)] + [(HOUR, 5)],
    "single gaps": [(value, 1) for value in range(1, 200, 2)],
    "large counts": [(1, 64), (2, 8_191), (3, 8_192), (1_000, 1 << 40), (1_000_000, (1 << 47) + 3)],
}


def case(name, values):
    histogram = HdrHistogram(1, HOUR, 3)
    for value, count in values:
        histogram.record_value(value, count)
    percentiles = [50, 90, 99, 99.9, 100]
    return {
        "name": name,
        "values": [list(pair) for pair in values],
        "total": histogram.get_total_count(),
        "percentiles": {str(p): histogram.get_value_at_percentile(p) for p in percentiles} if values else {},
        "encoded": histogram.encode().decode(),
    }


lines = ",\n".join(json.dumps(case(name, values)) for name, values in CASES.items())
print(f"[\n{lines}\n]")

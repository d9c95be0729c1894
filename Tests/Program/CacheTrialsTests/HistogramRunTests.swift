import Foundation
import Testing

/// The histograms of complete runs, read by HdrHistogram's package for Python.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct HistogramRunTests {
    @Test(
        .enabled(if: Python.withHdrHistogram != nil, "no Python with the package hdrhistogram; set CACHE_TRIALS_PYTHON")
    )
    func `public tools read every histogram of a run, with the figures of latency.csv`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(RunTests.scenario(), to: "small.yaml")
        let output = "\(folder.path)/out"
        let ending = await Program.here("run", file, "--quiet", "--output", output, "--repetitions", "2")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let rows = try records(of: "\(output)/latency.csv")
        let python = try #require(Python.withHdrHistogram)
        let read = try Python.run(python, Self.reader, output)
        #expect(read == "\(rows.count) rows agree\n", "\(read)")
        #expect(rows.count >= 20)
    }

    @Test func `a resumed run keeps the histograms of finished trials, each once`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(RunTests.scenario(), to: "small.yaml")
        let output = "\(folder.path)/out"
        let arguments = [
            "run", file, "--quiet", "--output", output, "--repetitions", "2", "--smoke",
        ]
        #expect(await Program.here(arguments, trials: ScriptedChildren.completing).exitCode == 0)
        let name = "\(output)/histograms/small.lru.hlog"
        let whole = try String(contentsOfFile: name, encoding: .utf8)

        // As after a crash before the mark of the second repetition.
        let trials = "\(output)/trials.csv"
        let kept = try String(contentsOfFile: trials, encoding: .utf8).split(separator: "\r\n").filter {
            !$0.hasPrefix("small,lru,2,")
        }
        try (kept.joined(separator: "\r\n") + "\r\n").write(toFile: trials, atomically: true, encoding: .utf8)
        let ending = await Program.here(arguments + ["--resume"], trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let tags = { (text: String) in text.split(separator: "\n").compactMap { $0.split(separator: ",").first } }
        let again = try String(contentsOfFile: name, encoding: .utf8)
        #expect(tags(again) == tags(whole))
        #expect(Set(tags(again)).count == tags(again).count)
    }

    /// Reads all logs of a result folder and compares them with `latency.csv`, row by row.
    private static let reader = """
        import csv, glob, sys
        from hdrh.histogram import HdrHistogram
        from hdrh.log import HistogramLogReader

        def at(histogram, rank):
            total = 0
            for index in range(histogram.counts_len):
                total += histogram.get_count_at_index(index)
                if total >= rank:
                    return histogram.get_highest_equivalent_value(histogram.get_value_from_index(index))

        folder = sys.argv[1]
        names = ["scenario", "strategy", "repetition", "phase", "pool", "operation", "outcome", "basis"]
        with open(folder + "/latency.csv", newline="") as file:
            rows = {"/".join(row[name] for name in names): row for row in csv.DictReader(file)}
        count = 0
        for path in sorted(glob.glob(folder + "/histograms/*.hlog")):
            reader = HistogramLogReader(path, HdrHistogram(1, 3_600_000_000_000, 3))
            while (histogram := reader.get_next_interval_histogram()) is not None:
                row = rows.pop(histogram.get_tag())
                low, high = int(row["min_ns"]), int(row["max_ns"])
                assert histogram.get_total_count() == int(row["count"]), (path, row)
                assert histogram.get_min_value() == histogram.get_lowest_equivalent_value(low), row
                assert histogram.get_max_value() == histogram.get_highest_equivalent_value(high), row
                for percent in ["50", "90", "95", "99", "99_9", "99_99"]:
                    share = float(percent.replace("_", "."))
                    rank = -(-round(share * 100) * histogram.get_total_count() // 10_000)
                    found = [min(max(at(histogram, rank - below), low), high) for below in (0, 1)]
                    assert found[0] == int(row[f"p{percent}_ns"]), (percent, found, row)
                    # The package rounds the rank to the nearest, and so is one lower now and then.
                    assert min(max(histogram.get_value_at_percentile(share), low), high) in found, (percent, row)
                count += 1
        assert not rows, rows
        print(count, "rows agree")
        """
}

/// A Python on this machine, for tests against Python packages.
private enum Python {
    /// A Python with HdrHistogram: the one that `CACHE_TRIALS_PYTHON` names, or `python3`.
    static let withHdrHistogram: String? = {
        let named = ProcessInfo.processInfo.environment["CACHE_TRIALS_PYTHON"]
        return [named, "python3"].compactMap { $0 }.first { (try? run($0, "import hdrh.histogram")) != nil }
    }()

    struct Failure: Error {
        let text: String
    }

    /// Runs a script and returns its output; throws its errors when it fails.
    static func run(_ python: String, _ script: String, _ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, "-c", script] + arguments
        let pipe = Pipe()
        defer { try? pipe.fileHandleForReading.close() }
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: text) }
        return text
    }
}

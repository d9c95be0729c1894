import ArgumentParser
import CacheStrategies
import CacheTrials
import Foundation
import Measurement
import Platform
import TrialModel

/// `cold-start`: how long caches with files take to open, `disk` by its index, after a kill and without an index, and
/// `expiring` with its saved file.
struct ColdStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cold-start",
        abstract: "Measures how long disk and expiring take to open their files.",
        discussion: """
            Prepares folders of entries without waiting for the device, opens each several times, and removes them. The \
            files are in the system's cache, as when an app is launched again; after a restart of the machine opening takes \
            longer. A million entries need about 4 GiB of disk, because each has a file.

            Goals: 100,000 entries of disk within 200 ms and 1,000,000 within 2 s; 100,000 of expiring within 500 ms. \
            Figures that others report for their caches: PINCache 3.65 s for 100,000 (PINCache#236), foyer 24 s for \
            50,000,000 (foyer-rs/foyer#1295); those are from other machines.

            Exit codes: 0 everything was measured; 1 a goal was missed; 2 it could not be measured; 64 wrong usage.
            """)

    @Option(help: ArgumentHelp("How many entries each folder of disk has.", valueName: "count"))
    var entries: [Int] = [100_000, 1_000_000]

    @Option(help: ArgumentHelp("How many entries the file of expiring has; 0 for none.", valueName: "count"))
    var expiringEntries = 100_000

    @Option(help: ArgumentHelp("How many bytes a value has.", valueName: "bytes"))
    var valueBytes = 100

    @Option(help: ArgumentHelp("How often each is opened.", valueName: "count"))
    var rounds = 5

    @Option(help: ArgumentHelp("Where the folders are made; by default the folder for temporary files."))
    var directory: String?

    func validate() throws {
        for count in entries { try NumberArgument.check(count, "entries", in: 1...10_000_000) }
        try NumberArgument.check(expiringEntries, "expiring-entries", in: 0...10_000_000)
        try NumberArgument.check(valueBytes, "value-bytes", in: 1...1 << 20)
        try NumberArgument.check(rounds, "rounds", in: 1...1_000)
    }

    func run() async throws {
        let parent = URL(fileURLWithPath: directory ?? NSTemporaryDirectory(), isDirectory: true)
            .appendingPathComponent("cold-start-\(UUID().uuidString)", isDirectory: true)
        var isMet = true
        do {
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: parent) }
            say("load before: \(Self.load)")
            say(
                "what                                          entries   median ms      least       most     goal"
                    + "   processor ms")
            for count in entries {
                isMet = try await measureDisk(count, in: parent.appendingPathComponent("disk-\(count)")) && isMet
            }
            if expiringEntries > 0 { isMet = try measureExpiring(parent) && isMet }
            say("load after: \(Self.load)")
        } catch {
            StandardError.write("benchmarks: \(error)")
            throw ExitCode(2)
        }
        if !isMet { throw ExitCode(1) }
    }

    /// The load of the machine.
    private static var load: String {
        (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?
            .split(separator: " ").prefix(3).joined(separator: " ") ?? "unknown"
    }

    /// Prints a line at once, so that an interrupted run keeps what was measured.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Prints the figures of an opening; returns whether its goal was met.
    private func report(_ what: String, _ count: Int, _ samples: [Sample], goal: Double? = nil) -> Bool {
        let times = samples.map(\.milliseconds)
        let median = times.median ?? .nan
        let name = what.padding(toLength: 40, withPad: " ", startingAt: 0)
        let figures = [median, times.min() ?? .nan, times.max() ?? .nan].map { String(format: "%11.1f", $0) }.joined()
        let goalText = goal.map { String(format: "%9.0f", $0) } ?? String(repeating: " ", count: 9)
        let own = String(format: "%15.1f", samples.map(\.processorMilliseconds).median ?? .nan)
        say("\(name)\(String(format: "%13d", count)) \(figures)\(goalText)\(own)")
        return goal.map { median <= $0 } ?? true
    }

    /// The duration of one opening: by the clock, and the process's own processor time, which other processes don't
    /// lengthen.
    fileprivate struct Sample {
        let milliseconds: Double
        let processorMilliseconds: Double

        /// Measures a piece of work.
        init<Answer>(_ answer: inout Answer?, _ work: () throws -> Answer) rethrows {
            let (start, processorStart) = (Nanoclock.now(), ProcessClock.now())
            answer = try work()
            processorMilliseconds = Double(ProcessClock.now() - processorStart) / 1e6
            milliseconds = Double(Nanoclock.now() - start) / 1e6
        }
    }
}

/// `disk`.
extension ColdStartCommand {
    private func open(_ folder: URL) throws -> DiskCache<String, Data> {
        let entryLimit = (entries.max() ?? 0) + 1_000
        return try DiskCache(
            configuration: StrategyConfiguration(entryLimit: entryLimit, costLimit: 1 << 40, directory: folder)
        ) { directory throws(FileLayerError) in try UnsynchronizedFileLayer(directory: directory) }
    }

    private func measureDisk(_ count: Int, in folder: URL) async throws -> Bool {
        let value = Data(repeating: 7, count: valueBytes)
        let cache = try open(folder)
        let preparing = ContinuousClock().now
        for number in 0..<count { await cache.insert(value, forKey: Self.key(number), cost: value.count) }
        try await cache.flush()
        await cache.close()
        let seconds = Int((ContinuousClock().now - preparing) / .seconds(1))
        StandardError.write("prepared \(count) entries of disk in \(seconds) s")
        let goal: Double? = count <= 100_000 ? 200 : count <= 1_000_000 ? 2_000 : nil
        var isMet = report("disk, after a close", count, try await openings(folder, count) {}, goal: goal)
        let index = folder.appendingPathComponent("index")
        let closed = try Data(contentsOf: index)
        // A kill leaves the index without the record of the close.
        isMet =
            report(
                "disk, after a kill", count,
                try await openings(folder, count) {
                    try closed.dropLast(64).write(to: index)
                }) && isMet
        return report(
            "disk, without an index", count,
            try await openings(folder, count) {
                try FileManager.default.removeItem(at: index)
            }) && isMet
    }

    private static func key(_ number: Int) -> String { "https://example.org/pictures/\(number)" }

    /// How long each round's opening takes; checks that every entry is found.
    private func openings(_ folder: URL, _ count: Int, prepare: () throws -> Void) async throws -> [Sample] {
        var times: [Sample] = []
        for round in 0..<rounds {
            try prepare()
            var opened: DiskCache<String, Data>?
            times.append(try Sample(&opened) { try open(folder) })
            guard let cache = opened else { continue }
            let found = await cache.statistics().entryCount ?? 0
            let isThere = await cache.value(forKey: Self.key(round * 7_919 % count)) != nil
            await cache.close()
            guard found == count, isThere else {
                throw ValidationError(
                    "\(found) of \(count) entries were found, the one looked up \(isThere ? "too" : "not")")
            }
        }
        return times
    }
}

/// `expiring`.
extension ColdStartCommand {
    private func measureExpiring(_ parent: URL) throws -> Bool {
        let configuration = StrategyConfiguration(entryLimit: expiringEntries)
        let value = Data(repeating: 7, count: valueBytes)
        let cache = ExpiringCache<String, Data>(configuration: configuration)
        for number in 0..<expiringEntries { cache.insert(value, forKey: Self.key(number), cost: value.count) }
        let file = parent.appendingPathComponent("entries.saved")
        var saves: [Sample] = []
        var restores: [Sample] = []
        for _ in 0..<rounds {
            var done: Void?
            saves.append(try Sample(&done) { try cache.save(to: file) })
            let restored = ExpiringCache<String, Data>(configuration: configuration)
            restores.append(try Sample(&done) { try restored.restore(from: file) })
            let found = restored.statistics().entryCount ?? 0
            guard found == expiringEntries else {
                throw ValidationError("\(found) of \(expiringEntries) entries were restored")
            }
        }
        _ = report("expiring, saving", expiringEntries, saves)
        return report(
            "expiring, restoring", expiringEntries, restores,
            goal: expiringEntries <= 100_000 ? 500 : nil)
    }
}

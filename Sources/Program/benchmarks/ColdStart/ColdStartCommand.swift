import ArgumentParser
import CacheStrategies
import CacheTrials
import Foundation
import Measurement
import PersistentStrategies
import Platform
import Reports
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
            Values that others report for their caches: PINCache 3.65 s for 100,000 (PINCache#236), foyer 24 s for \
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
        var goals: [Goal] = []
        print("load before: \(Self.load)")
        do {
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: parent) }
            for count in entries {
                goals += try await measureDisk(count, in: parent.appendingPathComponent("disk-\(count)"))
            }
            if expiringEntries > 0 { goals += try measureExpiring(parent) }
        } catch {
            StandardError.write("benchmarks: \(error)")
            throw ExitCode(2)
        }
        print(HarnessTables.goals(goals).rendered(as: .markdown), terminator: "")
        print("load after: \(Self.load)")
        if goals.contains(where: { $0.isMet == false }) { throw ExitCode(1) }
    }

    /// The load of the machine.
    private static var load: String {
        (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?
            .split(separator: " ").prefix(3).joined(separator: " ") ?? "unknown"
    }

    /// The figures of an opening. They are reported at once, so that an interrupted run keeps what was measured.
    private func goals(_ what: String, _ count: Int, _ samples: [Sample], limit: Double? = nil) -> [Goal] {
        let goals = [
            Goal(
                what: "\(what), \(count) entries", side: .atMost, limit: limit, unit: "ms",
                samples: samples.map(\.milliseconds), places: 1),
            Goal(
                what: "processor time of that", side: .atMost, unit: "ms",
                samples: samples.map(\.processorMilliseconds),
                places: 1),
        ]
        StandardError.write("\(goals[0].what): \(DecimalText.fixed(goals[0].median, places: 1)) ms")
        return goals
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

    private func measureDisk(_ count: Int, in folder: URL) async throws -> [Goal] {
        let value = Data(repeating: 7, count: valueBytes)
        let cache = try open(folder)
        let preparing = ContinuousClock().now
        for number in 0..<count { await cache.insert(value, forKey: Self.key(number), cost: value.count) }
        try await cache.flush()
        await cache.close()
        let seconds = Int((ContinuousClock().now - preparing) / .seconds(1))
        StandardError.write("prepared \(count) entries of disk in \(seconds) s")
        let limit: Double? = count <= 100_000 ? 200 : count <= 1_000_000 ? 2_000 : nil
        var goals = self.goals("disk, after a close", count, try await openings(folder, count) {}, limit: limit)
        let index = folder.appendingPathComponent("index")
        let closed = try Data(contentsOf: index)
        // A kill leaves the index without the record of the close.
        goals += self.goals(
            "disk, after a kill", count, try await openings(folder, count) { try closed.dropLast(64).write(to: index) })
        goals += self.goals(
            "disk, without an index", count,
            try await openings(folder, count) { try FileManager.default.removeItem(at: index) })
        return goals
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
    private func measureExpiring(_ parent: URL) throws -> [Goal] {
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
        return goals("expiring, saving", expiringEntries, saves)
            + goals(
                "expiring, restoring", expiringEntries, restores, limit: expiringEntries <= 100_000 ? 500 : nil)
    }
}

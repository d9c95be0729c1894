import CacheStrategies
import Foundation
import HistoryChecking
import Testing
import TrialModel

@testable import Schedules

/// Tasks beside threads that nothing orders, as in a process without the library.
@Suite(.timeLimit(.minutes(2)))
struct UnorderedThreadsTests {
    @Test func `a caller that a queue resumes is not lost, and its history is its own`() throws {
        let report = try StrategyExplorer(ResumedByQueue.self).explore(ExplorationTests.plan(schedules: 300))
        #expect(report.broken == [])
        let lost = try #require(report[.noLostCaller])
        #expect(lost.verdict == .unknown && lost.doubts > 0)
        #expect(lost.example?.summary.contains("without the library ThreadSchedule") == true)
    }

    @Test func `a library that can't be loaded is said, and why`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("a folder \(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func reason() -> String? {
            if case .failure(let absence) = OrderLibrary.preload(from: folder, environment: [:]) {
                absence.reason
            } else {
                nil
            }
        }
        #expect(reason()?.contains("swift build --product ThreadSchedule") == true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data().write(to: folder.appendingPathComponent("libThreadSchedule.so"))
        #expect(reason()?.contains("without spaces and colons") == true)
        let straight = folder.deletingLastPathComponent().appendingPathComponent("folder-\(UUID().uuidString)")
        try FileManager.default.moveItem(at: folder, to: straight)
        defer { try? FileManager.default.removeItem(at: straight) }
        let libraries = try OrderLibrary.preload(from: straight, environment: ["LD_PRELOAD": "other.so"]).get()
        #expect(libraries == "\(straight.path)/libThreadSchedule.so:other.so")
    }

    @Test func `what a caller does after its schedule belongs to none`() {
        let recorder = ScheduleRecorder()
        recorder.begin(callerCount: 2, entryLimit: nil)
        recorder.call(.read, key: 0, caller: 0)
        recorder.call(.read, key: 0, caller: 1)
        recorder.finish(caller: 0, outcome: .miss)
        recorder.end()
        #expect(recorder.stop())
        recorder.finish(caller: 1, outcome: .miss)
        recorder.call(.read, key: 0, caller: 1)
        recorder.end()
        #expect(recorder.history.callers.map(\.count) == [1, 1] && recorder.callersInFlight == 1)
        #expect(recorder.history.callers[1].last?.isAnswered == false)
    }
}

/// A sound cache whose queue resumes the callers that look up.
private final class ResumedByQueue: CacheStrategy {
    private let queue = DispatchQueue(label: "entries")
    private let entries = UnboundedCache<Int, ScriptedValue>(configuration: StrategyConfiguration())

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "resumed", summary: "a queue resumes its callers", promises: Promises(limit: .none))
    }

    init(configuration: StrategyConfiguration) {}

    func value(forKey key: Int) async -> ScriptedValue? {
        await withCheckedContinuation { caller in
            queue.async { [entries] in caller.resume(returning: entries.value(forKey: key)) }
        }
    }

    func insert(_ value: ScriptedValue, forKey key: Int, cost: Int) async {
        await withCheckedContinuation { caller in
            queue.async { [entries] in
                entries.insert(value, forKey: key, cost: cost)
                caller.resume()
            }
        }
    }

    func removeValue(forKey key: Int) async { queue.sync { entries.removeValue(forKey: key) } }
    func removeAll() async { queue.sync { entries.removeAll() } }
    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<ScriptedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
    func statistics() async -> CacheStatistics { CacheStatistics() }
    func close() async {}
}

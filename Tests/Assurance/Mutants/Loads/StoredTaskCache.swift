import CacheStrategies
import Foundation
import Locks

/// Holds a task for each key, finished or in flight, so that a lookup waits for a load. Sound.
final class StoredTaskCache: CacheStrategy {
    private struct Entry: Sendable {
        var number = UUID()
        var isHeld = false
        var task: Task<StampedBytes, any Error>
    }

    private let entries = Locked([Int: Entry]())

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "stored-tasks", summary: "a task for each key; a lookup waits for a load in flight",
            promises: Promises(
                coalescesLoads: true, limit: .none, keepsNewerWrites: true, lookupsJoinLoads: true,
                mayWaitForItself: true))
    }

    init(configuration: StrategyConfiguration) {}

    func value(forKey key: Int) async -> StampedBytes? { try? await entries.withLock { $0[key]?.task }?.value }

    func insert(_ value: StampedBytes, forKey key: Int, cost: Int) async {
        entries.withLock { $0[key] = Entry(isHeld: true, task: Task { value }) }
    }

    func removeValue(forKey key: Int) async { entries.withLock { $0[key] = nil } }
    func removeAll() async { entries.withLock { $0 = [:] } }

    func load(
        _ key: Int, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<StampedBytes> {
        let (entry, outcome) = entries.withLock { entries in
            if let entry = entries[key] { return (entry, entry.isHeld ? LoadOutcome.hit : .joined) }
            let entry = Entry(task: Task { try StampedBytes(encoded: await fetch()) })
            entries[key] = entry
            return (entry, .loaded)
        }
        do {
            let value = try await entry.task.value
            entries.withLock { if $0[key]?.number == entry.number { $0[key]?.isHeld = true } }
            return Loaded(value, outcome)
        } catch {
            entries.withLock { if $0[key]?.number == entry.number { $0[key] = nil } }
            throw error
        }
    }

    func statistics() async -> CacheStatistics { CacheStatistics() }
    func close() async {}

    static let soundBase = SoundBase(declaration.name, StoredTaskCache.self) { seed, selection in
        await Examination(TrialSubject(StoredTaskCache.self), seed: seed, selection).alarms()
    }
}

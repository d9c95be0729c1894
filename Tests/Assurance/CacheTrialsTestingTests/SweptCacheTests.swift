import CacheTrialsTesting
import Foundation
import Testing

/// Sound caches with a timer of any kind: orders accuse none.
@Suite(.timeLimit(.minutes(2)))
struct SweptCacheTests {
    @Test(arguments: Sweeper.allCases)
    func `a cache that a timer sweeps is not accused`(sweeper: Sweeper) async {
        // A warning may say what could not be ordered: the moments at which the timer fires.
        await withKnownIssue(isIntermittent: true) {
            switch sweeper {
            case .sourceOnItsQueue: await expectConsistentOrders(of: Swept<BySourceOnItsQueue>.self, orders: 300)
            case .sourceOnMain: await expectConsistentOrders(of: Swept<BySourceOnMain>.self, orders: 300)
            case .foundationTimer: await expectConsistentOrders(of: Swept<ByFoundationTimer>.self, orders: 300)
            case .task: await expectConsistentOrders(of: Swept<ByTask>.self, orders: 300)
            case .after: await expectConsistentOrders(of: Swept<ByAfter>.self, orders: 300)
            }
        } matching: { issue in
            issue.severity == .warning && "\(issue)".contains("not all interleavings can be chosen")
        }
    }
}

/// What lets a cache look at its entries again and again.
enum Sweeper: CaseIterable { case sourceOnItsQueue, sourceOnMain, foundationTimer, task, after }

private protocol Sweeping {
    static var name: String { get }
    /// Sweeps on a queue again and again, until the returned closure is called.
    static func start(on queue: DispatchQueue, _ sweep: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

private enum BySourceOnItsQueue: Sweeping {
    static let name = "swept-by-source"

    static func start(on queue: DispatchQueue, _ sweep: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .microseconds(20))
        timer.setEventHandler(handler: sweep)
        timer.resume()
        return { timer.cancel() }
    }
}

private enum BySourceOnMain: Sweeping {
    static let name = "swept-by-main-queue"

    static func start(on queue: DispatchQueue, _ sweep: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: .microseconds(20))
        timer.setEventHandler { queue.sync(execute: sweep) }
        timer.resume()
        return { timer.cancel() }
    }
}

private enum ByFoundationTimer: Sweeping {
    static let name = "swept-by-timer"

    static func start(on queue: DispatchQueue, _ sweep: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        nonisolated(unsafe) let timer = Timer(timeInterval: 0.000_1, repeats: true) { _ in queue.async(execute: sweep) }
        RunLoop.main.add(timer, forMode: .common)
        return { timer.invalidate() }
    }
}

private enum ByTask: Sweeping {
    static let name = "swept-by-task"

    static func start(on queue: DispatchQueue, _ sweep: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let task = Task.detached {
            while !Task.isCancelled {
                try? await Task.sleep(for: .microseconds(20))
                queue.async(execute: sweep)
            }
        }
        return { task.cancel() }
    }
}

private enum ByAfter: Sweeping {
    static let name = "swept-by-delay"

    private final class Flag: @unchecked Sendable {
        // Unchecked, because `isSet` is mutable; `lock` guards it.
        let lock = NSLock()
        var isSet = false
    }

    static func start(on queue: DispatchQueue, _ sweep: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let stop = Flag()
        @Sendable func again() {
            guard !stop.lock.withLock({ stop.isSet }) else { return }
            sweep()
            queue.asyncAfter(deadline: .now() + .microseconds(20), execute: again)
        }
        queue.async(execute: again)
        return { stop.lock.withLock { stop.isSet = true } }
    }
}

/// A sound cache whose entries a serial queue guards, and whose copies a timer makes anew.
private final class Swept<Way: Sweeping>: SynchronousCacheStrategy, @unchecked Sendable {
    // Unchecked, because `entries` is mutable; `queue` guards it. `stop` is set before any caller.
    private let queue = DispatchQueue(label: "entries")
    private var entries: [Int: OrderedValue] = [:]
    private var stop: @Sendable () -> Void = {}

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: Way.name, summary: "swept by a timer", promises: Promises(limit: .none))
    }

    init(configuration: StrategyConfiguration) {
        stop = Way.start(on: queue) { [weak self] in
            guard let self else { return }
            entries = Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) })
        }
    }

    func value(forKey key: Int) -> OrderedValue? { queue.sync { entries[key] } }
    func insert(_ value: OrderedValue, forKey key: Int, cost: Int) { queue.sync { entries[key] = value } }
    func removeValue(forKey key: Int) { queue.sync { entries[key] = nil } }
    func removeAll() { queue.sync { entries = [:] } }
    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<OrderedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
    func close() { stop() }
}

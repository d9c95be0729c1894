import CacheStrategies
import Foundation
import Origins
import TrialModel

// An instruction counter finds these functions by their names in the program's file. It counts within those that begin with
// `cache_trials_counted_` and `cache_trials_bare_`, and not within `cache_trials_uncounted`. Each counted function has a twin for a
// cache that does nothing: what is counted there is the harness's own share. None is optimised, and none is
// given a closure that the compiler knows: it would make copies under other names.

@inline(never) @_optimize(none) @_silgen_name("cache_trials_counted_read")
private func countedRead(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.read, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_counted_load")
private func countedLoad(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.load, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_counted_write")
private func countedWrite(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.write, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_counted_remove")
private func countedRemove(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.remove, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_counted_clear")
private func countedClear(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.clear, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_bare_read")
private func bareRead(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.read, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_bare_load")
private func bareLoad(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.load, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_bare_write")
private func bareWrite(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.write, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_bare_remove")
private func bareRemove(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.remove, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_bare_clear")
private func bareClear(
    _ send: TimedKernel.Blocking, _ number: UInt32, _ value: Payload?, _ limit: Duration?
) -> TimedAnswer {
    send(.clear, number, value, limit)
}

@inline(never) @_optimize(none) @_silgen_name("cache_trials_uncounted")
private func uncounted(_ fetch: () throws -> Data) rethrows -> Data { try fetch() }

@inline(never) @_optimize(none) @_silgen_name("cache_trials_phase_begins")
private func phaseBegins(_ index: Int) -> Int { index &+ 1 }

@inline(never) @_optimize(none) @_silgen_name("cache_trials_phase_ends")
private func phaseEnds(_ index: Int) -> Int { index &+ 2 }

/// What an instruction counter counts separately.
package enum CountedPhase {
    /// Forgets what was counted before.
    @discardableResult
    package static func begin(_ index: Int) -> Int { phaseBegins(index) }

    /// Writes down what was counted since.
    @discardableResult
    package static func end(_ index: Int) -> Int { phaseEnds(index) }
}

extension OpenStrategy {
    /// The same cache, whose operations an instruction counter finds by name; its callers must be threads.
    ///
    /// Every operation is sent to a cache that does nothing as well. Neither fetching nor what the origin does is counted.
    ///
    /// - Parameter bare: the cache that does nothing, with the same keys.
    package func counted(beside bare: OpenStrategy) -> OpenStrategy {
        let open = self
        return OpenStrategy(
            kernel: { source in
                let source = UncountedSource(source: source)
                guard let send = open.kernel(source).blocking, let bareSend = bare.kernel(source).blocking else {
                    return open.kernel(source)
                }
                return TimedKernel { kind, number, value, limit in
                    switch kind {
                    case .read:
                        _ = bareRead(bareSend, number, value, limit)
                        return countedRead(send, number, value, limit)
                    case .load:
                        _ = bareLoad(bareSend, number, value, limit)
                        return countedLoad(send, number, value, limit)
                    case .write:
                        _ = bareWrite(bareSend, number, value, limit)
                        return countedWrite(send, number, value, limit)
                    case .remove:
                        _ = bareRemove(bareSend, number, value, limit)
                        return countedRemove(send, number, value, limit)
                    case .clear:
                        _ = bareClear(bareSend, number, value, limit)
                        return countedClear(send, number, value, limit)
                    case .burst: preconditionFailure(TimedKernel.burstHasCallers)
                    }
                }
            },
            insert: insert, removeAll: removeAll, statistics: statistics, close: close)
    }
}

/// An origin whose work is not counted.
private struct UncountedSource: PayloadSource {
    let source: any PayloadSource

    func fetch(_ key: UInt64) async throws -> Data { try await source.fetch(key) }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        try uncounted { try source.fetchBlocking(key, deadline: deadline) }
    }
}

extension Strategy {
    /// A cache that does nothing, not even for a load.
    package static let bare = Strategy(
        BareCache<Int>.self, BareCache<String>.self, BareCache<URL>.self)
}

/// Answers without a lookup; a load gives one value that is always there.
private struct BareCache<Key: Hashable & Sendable>: SynchronousCacheStrategy {
    static var declaration: StrategyDeclaration { StrategyDeclaration(name: "bare", summary: "does nothing") }

    private let value: Payload

    init(configuration: StrategyConfiguration) throws {
        let values = ValueSpecification(kind: .bytes, size: .fixed(64))
        value = PayloadFactory(specification: values, seed: 1).payload(key: 0, version: 1)
    }

    func value(forKey key: Key) -> Payload? { nil }
    func insert(_ value: Payload, forKey key: Key, cost: Int) {}
    func removeValue(forKey key: Key) {}
    func removeAll() {}

    func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Payload> { Loaded(value, .hit) }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Payload> { Loaded(value, .hit) }
}

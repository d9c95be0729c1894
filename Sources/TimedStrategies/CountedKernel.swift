import CSpans
import CacheStrategies
import Foundation
import Origins
import TrialModel

/// What an instruction counter counts separately.
package enum CountedPhase {
    /// Forgets what was counted before.
    package static func begin() { cache_trials_phase_begins() }

    /// Writes down what was counted since.
    package static func end() { cache_trials_phase_ends() }
}

/// An operation that is sent within a function of a name.
private struct Span {
    /// A function of that name: it calls what it is given.
    typealias Function = @convention(c) (spans_body?, UnsafeMutableRawPointer?) -> Void

    let send: TimedKernel.Blocking
    let kind: OperationKind
    let number: UInt32
    let value: Payload?
    let limit: Duration?
    var answer: TimedAnswer?

    /// Sends the operation in a span.
    mutating func sent(in function: Function) -> TimedAnswer {
        withUnsafeMutablePointer(to: &self) { span in
            function({ $0?.assumingMemoryBound(to: Span.self).pointee.sendNow() }, span)
        }
        guard let answer else { preconditionFailure("A span calls what it is given.") }
        return answer
    }

    private mutating func sendNow() { answer = send(kind, number, value, limit) }

    /// The function of a kind of operation, and that of the harness's own share.
    static func functions(of kind: OperationKind) -> (counted: Function, bare: Function) {
        switch kind {
        case .read: (cache_trials_counted_read, cache_trials_bare_read)
        case .load: (cache_trials_counted_load, cache_trials_bare_load)
        case .write: (cache_trials_counted_write, cache_trials_bare_write)
        case .remove: (cache_trials_counted_remove, cache_trials_bare_remove)
        case .clear: (cache_trials_counted_clear, cache_trials_bare_clear)
        case .burst: preconditionFailure(TimedKernel.burstHasCallers)
        }
    }
}

extension OpenStrategy {
    /// The same cache, whose operations an instruction counter finds by name; its callers must be threads.
    ///
    /// Every operation is sent to a cache that does nothing as well: what is counted there is the harness's own share. Neither
    /// fetching nor what the origin does is counted.
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
                    let functions = Span.functions(of: kind)
                    var harness = Span(send: bareSend, kind: kind, number: number, value: value, limit: limit)
                    _ = harness.sent(in: functions.bare)
                    var span = Span(send: send, kind: kind, number: number, value: value, limit: limit)
                    return span.sent(in: functions.counted)
                }
            },
            insert: insert, removeAll: removeAll, statistics: statistics, close: close)
    }
}

/// An origin whose work is not counted.
private struct UncountedSource: PayloadSource {
    let source: any PayloadSource

    /// A fetch, and what came of it.
    private struct Fetch {
        let source: any PayloadSource
        let key: UInt64
        let deadline: Duration?
        var data: Result<Data, any Error>?

        mutating func run() { data = Result { try source.fetchBlocking(key, deadline: deadline) } }
    }

    func fetch(_ key: UInt64) async throws -> Data { try await source.fetch(key) }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        var fetch = Fetch(source: source, key: key, deadline: deadline)
        withUnsafeMutablePointer(to: &fetch) { fetch in
            cache_trials_uncounted({ $0?.assumingMemoryBound(to: Fetch.self).pointee.run() }, fetch)
        }
        guard let data = fetch.data else { preconditionFailure("A span calls what it is given.") }
        return try data.get()
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

import CacheStrategies
import Foundation
import Origins
import TrialModel

/// An operation that a C function calls.
private struct Span {
    let send: TimedKernel.Blocking
    let kind: OperationKind
    let number: UInt32
    let value: Payload?
    let limit: Duration?
    var answer: TimedAnswer?

    /// Sends the operation within a counted span.
    mutating func sent(isBare: Bool) -> TimedAnswer {
        withUnsafeMutablePointer(to: &self) { [kind] span in
            CallgrindMarks.count(
                kind, isBare: isBare, { $0?.assumingMemoryBound(to: Span.self).pointee.sendNow() }, span)
        }
        guard let answer else { preconditionFailure("A span calls what it is given.") }
        return answer
    }

    private mutating func sendNow() { answer = send(kind, number, value, limit) }
}

extension OpenStrategy {
    /// The same cache with counted operations; its callers must be threads.
    ///
    /// Every operation is also sent to a cache that does nothing, which gives the harness's own share. Fetching and the
    /// origin's work are not counted.
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
                    var harness = Span(send: bareSend, kind: kind, number: number, value: value, limit: limit)
                    _ = harness.sent(isBare: true)
                    var span = Span(send: send, kind: kind, number: number, value: value, limit: limit)
                    return span.sent(isBare: false)
                }
            },
            insert: insert, removeAll: removeAll, statistics: statistics, close: close, respond: respond,
            tellsTiers: tellsTiers, ownPrefetch: ownPrefetch)
    }
}

/// An origin whose work is not counted.
private struct UncountedSource: PayloadSource {
    let source: any PayloadSource

    /// A fetch and its result.
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
            CallgrindMarks.leaveOut({ $0?.assumingMemoryBound(to: Fetch.self).pointee.run() }, fetch)
        }
        guard let data = fetch.data else { preconditionFailure("A span calls what it is given.") }
        return try data.get()
    }
}

extension Strategy {
    /// A cache that does nothing, not even in a load.
    package static let bare = Strategy(
        BareCache<Int>.self, BareCache<String>.self, BareCache<URL>.self)
}

/// Answers without a lookup; a load always returns the same stored value.
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

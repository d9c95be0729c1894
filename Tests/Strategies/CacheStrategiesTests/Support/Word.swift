import CacheStrategies
import Foundation
import Synchronization

/// A value that tests can observe: the number of live instances of its text, and a hook in its decoding.
struct Word: CacheableValue, Hashable, Codable {
    struct NotAWord: Error, Equatable {}
    struct NotEncodable: Error {}

    let text: String

    init(_ text: String) { self.text = text }

    /// Bytes that start with "!" don't decode.
    init(encoded: Data) throws {
        let text = String(decoding: encoded, as: UTF8.self)
        WordLog.shared.decoded(text)
        guard !text.hasPrefix("!") else { throw NotAWord() }
        self.init(text)
    }

    /// A text that starts with "?" can't be encoded.
    func encoded() throws -> Data {
        WordLog.shared.encoded(text)
        guard !text.hasPrefix("?") else { throw NotEncodable() }
        return Data(text.utf8)
    }

    var cost: Int { text.utf8.count }
}

/// The texts decoded and encoded in this process; each test uses texts of its own.
final class WordLog: @unchecked Sendable {
    // Sound although unchecked: all state is accessed only while the lock is held.
    static let shared = WordLog()
    private let lock = NSLock()
    private var decodings: [String: Int] = [:]
    private var encodings: [String: Int] = [:]
    private var hooks: [String: @Sendable () -> Void] = [:]

    /// Runs `hook` in every later decoding of a text.
    func onDecoding(_ text: String, _ hook: @escaping @Sendable () -> Void) {
        lock.withLock { hooks[text] = hook }
    }

    func decodingCount(_ text: String) -> Int { lock.withLock { decodings[text, default: 0] } }
    func encodingCount(_ text: String) -> Int { lock.withLock { encodings[text, default: 0] } }

    func decoded(_ text: String) {
        let hook = lock.withLock {
            decodings[text, default: 0] += 1
            return hooks[text]
        }
        hook?()
    }

    func encoded(_ text: String) { lock.withLock { encodings[text, default: 0] += 1 } }
}

/// A value that counts its live instances.
struct LiveValue: CacheableValue {
    /// The number of live values that share this counter.
    final class Counter: Sendable {
        let alive = Atomic<Int>(0)
        var count: Int { alive.load(ordering: .sequentiallyConsistent) }
    }

    private final class Token: Sendable {
        let counter: Counter
        init(_ counter: Counter) {
            self.counter = counter
            counter.alive.add(1, ordering: .sequentiallyConsistent)
        }
        deinit { counter.alive.subtract(1, ordering: .sequentiallyConsistent) }
    }

    private let token: Token

    init(_ counter: Counter) { token = Token(counter) }
    init(encoded: Data) throws { throw Word.NotAWord() }
    func encoded() -> Data { Data() }
    var cost: Int { 1 }
}

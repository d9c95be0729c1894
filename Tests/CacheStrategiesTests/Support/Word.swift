import CacheStrategies
import Foundation
import Synchronization

/// A value that can be watched: how many of its text are alive, and what happens when one is decoded.
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

/// What was decoded and encoded in this process, by text; each test uses texts of its own.
final class WordLog: @unchecked Sendable {
    // Sound although unchecked: everything is touched only while the lock is held.
    static let shared = WordLog()
    private let lock = NSLock()
    private var decodings: [String: Int] = [:]
    private var encodings: [String: Int] = [:]
    private var hooks: [String: @Sendable () -> Void] = [:]

    /// Runs `hook` in every decoding of a text from now on.
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

/// A value that counts how many of it are alive.
struct LiveValue: CacheableValue {
    /// The number of values that share it and are alive.
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

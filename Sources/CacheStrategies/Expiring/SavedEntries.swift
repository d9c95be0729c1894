public import Foundation

/// The encoded form of an ``ExpiringCache``: entries, their remaining lifetimes, and the date of saving.
@usableFromInline
struct SavedEntries<Key: Codable & Hashable & Sendable, Value: Codable & Sendable>: Codable {
    @usableFromInline
    let savedAt: Date
    /// The entry that expires first is in front.
    @usableFromInline
    let entries: [SavedEntry<Key, Value>]

    @inlinable
    init(savedAt: Date, entries: [SavedEntry<Key, Value>]) {
        self.savedAt = savedAt
        self.entries = entries
    }

    /// The time that has passed since saving, from 0 to a hundred years. A date that went back counts as no time.
    @usableFromInline
    func elapsed(until date: Date) -> Duration {
        let seconds = date.timeIntervalSince(savedAt)
        guard seconds > 0 else { return .zero }
        return .seconds(min(seconds, Double(Duration.longestLifetime.components.seconds)))
    }
}

/// An entry in its encoded form.
@usableFromInline
struct SavedEntry<Key: Codable & Hashable & Sendable, Value: Codable & Sendable>: Codable {
    @usableFromInline
    let key: Key
    @usableFromInline
    let value: Value
    @usableFromInline
    let cost: Int
    /// An integer: a floating-point value could decode to a number that no duration can hold.
    @usableFromInline
    let nanosecondsLeft: Int64

    /// An entry with its remaining lifetime, at most ``Duration/longestLifetime``.
    init(_ node: ExpiryNode<Key, Value>, timeLeft: Duration) {
        key = node.key
        value = node.value
        cost = node.cost
        let (seconds, attoseconds) = min(timeLeft, .longestLifetime).components
        nanosecondsLeft = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// An entry from its encoded form.
    @inlinable
    init(key: Key, value: Value, cost: Int, nanosecondsLeft: Int64) {
        self.key = key
        self.value = value
        self.cost = cost
        self.nanosecondsLeft = nanosecondsLeft
    }

    @inlinable
    var timeLeft: Duration { .nanoseconds(nanosecondsLeft) }
}

extension Duration {
    /// A hundred years: its nanoseconds fit an `Int64`, and no sum with a clock's reading overflows.
    @usableFromInline
    static var longestLifetime: Duration { .seconds(100 * 366 * 24 * 60 * 60) }
}

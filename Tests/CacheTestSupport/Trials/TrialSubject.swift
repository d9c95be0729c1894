package import CacheStrategies
package import Conformance
import Foundation

/// A strategy under test, and how its keys and values are made and read.
package struct TrialSubject<Strategy: CacheStrategy>: Sendable {
    /// The key with a number.
    package let makeKey: @Sendable (Int) -> Strategy.Key
    /// The value of a key's version.
    package let makeValue: @Sendable (_ key: Int, _ version: UInt64) -> Strategy.Value
    /// The stamp of a value.
    package let stamp: @Sendable (Strategy.Value) -> ValueStamp
    /// The contract, with values of the same type.
    package let makeKit: @Sendable () -> ConformanceKit<Strategy>
    /// Whether it does exactly what an LRU does.
    package var isExactLRU = false
    /// How long no caller may make progress before callers count as lost.
    package var patience = Duration.seconds(30)

    package init(
        _ type: Strategy.Type, makeKey: @escaping @Sendable (Int) -> Strategy.Key,
        makeValue: @escaping @Sendable (_ key: Int, _ version: UInt64) -> Strategy.Value,
        stamp: @escaping @Sendable (Strategy.Value) -> ValueStamp,
        makeKit: @escaping @Sendable () -> ConformanceKit<Strategy>
    ) {
        self.makeKey = makeKey
        self.makeValue = makeValue
        self.stamp = stamp
        self.makeKit = makeKit
    }
}

extension TrialSubject where Strategy.Key == Int, Strategy.Value == StampedBytes {
    /// A strategy of the zoo. One of its values is larger than 64 KiB.
    package init(_ type: Strategy.Type) {
        self.init(
            type, makeKey: { $0 },
            makeValue: { key, version in
                StampedBytes(key: key, version: version, byteCount: key == 5 ? 70_000 : 40 + 8 * key)
            },
            stamp: \.stamp,
            makeKit: {
                ConformanceKit(
                    type, makeKey: { $0 },
                    makeValue: { StampedBytes(key: $0, version: 1, byteCount: $1) }, undecodable: Data("short".utf8),
                    // The smallest value has 24 bytes, and the kit's has 10.
                    byteUnit: 3, aliveValues: nil, scribble: { $0.scribble() })
            })
    }
}

package import CacheStrategies
package import Conformance
import Foundation
import Measurement
package import Origins
package import TimedStrategies
import TrialModel

/// The conformance checks of the contract, with the values of trials.
package enum PayloadKit {
    /// A kit whose values are bytes that belong to a number. Costs are in units of 64 bytes, the size of the smallest
    /// value.
    ///
    /// - Parameter countsAlive: whether live values are counted, from now on in the whole process.
    package static func kit<Cache: CacheStrategy>(
        for type: Cache.Type, countsAlive: Bool = false
    ) -> ConformanceKit<Cache> where Cache.Key: TrialKey, Cache.Value == Payload {
        if countsAlive { Payload.countAlive() }
        let alive: @Sendable () -> Int = { Payload.aliveCount }
        var kit = ConformanceKit<Cache>(
            type, makeKey: { Cache.Key(trialKeyNumber: $0) }, makeValue: { payload($0, byteCount: $1) },
            undecodable: Data("no payload".utf8), byteUnit: 64,
            aliveValues: countsAlive ? alive : nil, makeMortal: { payload($0, byteCount: $1, lifetime: $2) })
        kit.allocatedBytes = {
            MemoryMeter.settleThread()
            return MemoryMeter.read().allocatedBytes
        }
        return kit
    }

    /// Bytes that belong to a number, with a lifetime or without one. The seed does not matter.
    package static func payload(_ number: Int, byteCount: Int, lifetime: Duration? = nil) -> Payload {
        let size = Distribution.fixed(UInt64(clamping: byteCount))
        var values = ValueSpecification(kind: .bytes, size: size)
        if let lifetime {
            let nanoseconds = UInt64(clamping: Int64(lifetime / .nanoseconds(1)))
            values.pools = [.defaults.with { ($0.count, $0.size, $0.timeToLive) = (.max, size, nanoseconds) }]
        }
        return PayloadFactory(specification: values, seed: 1).payload(key: UInt64(clamping: number), version: 1)
    }
}

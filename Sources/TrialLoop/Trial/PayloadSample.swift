import Measurement
import Origins

/// Some of a scenario's values, and the memory that they take without any cache.
struct PayloadSample: Sendable {
    private(set) var values: [(key: Int, payload: Payload)] = []
    /// Bytes that the allocator hands out for each byte of cost, including headers and rounding. `nil` when it can't be
    /// measured.
    private(set) var allocatedBytesPerCost: Double?
    /// The mean cost of a value in bytes.
    private(set) var meanCost: Double = 0

    /// The most values in the sample, and the most bytes that they may cost together.
    private static let countMax = 512
    private static let costMax = 1 << 20

    /// Makes values of evenly spaced keys. Takes a few milliseconds, and longer for pictures.
    ///
    /// - Parameter keyCount: how many keys the scenario has.
    init(_ payloads: PayloadFactory, keyCount: Int) {
        let count = min(max(keyCount, 0), Self.countMax)
        guard count > 0 else { return }
        values.reserveCapacity(count)
        // The first value pays for one-time set-up.
        _ = Self.loaded(0, payloads)
        let before = MemoryMeter.read().allocatedBytes
        var cost = 0
        for index in 0..<count where cost < Self.costMax {
            let key = index * (keyCount / count)
            values.append((key, Self.loaded(UInt64(key), payloads)))
            cost += values.last?.payload.cost ?? 0
        }
        let after = MemoryMeter.read().allocatedBytes
        meanCost = Double(cost) / Double(values.count)
        guard let before, let after, after > before, cost > 0 else { return }
        allocatedBytesPerCost = Double(after - before) / Double(cost)
    }

    /// A value as a load makes it: decoded, because an array that was built piece by piece may have more memory.
    private static func loaded(_ key: UInt64, _ payloads: PayloadFactory) -> Payload {
        let decoded = try? Payload(encoded: payloads.encoded(key: key, version: 1))
        return decoded ?? payloads.payload(key: key, version: 1)
    }

    /// Releases the values.
    mutating func removeAll() { values = [] }
}

/// The limit of a policy, and the amount that it holds.
@usableFromInline
package struct Budget {
    /// At most 2^62, so that the held amount plus one more object never overflows.
    @usableFromInline
    let limit: UInt64
    @usableFromInline
    let countsEntries: Bool
    @usableFromInline
    var used: UInt64 = 0
    /// The number of resident objects.
    @usableFromInline
    var count = 0

    @inlinable
    init(_ capacity: PolicyCapacity) {
        switch capacity {
        case .entries(let number):
            limit = UInt64(min(max(number, 0), 1 << 62))
            countsEntries = true
        case .weight(let weight):
            limit = min(weight, 1 << 62)
            countsEntries = false
        }
    }

    /// The charge of an object with a weight: 1 where entries are counted, and never 0.
    @inlinable
    @inline(__always)
    func charge(_ weight: UInt64) -> UInt64 {
        countsEntries ? 1 : max(weight, 1)
    }

    @inlinable
    @inline(__always)
    func canEverHold(_ charge: UInt64) -> Bool {
        charge <= limit
    }

    @inlinable
    @inline(__always)
    func fits(_ charge: UInt64) -> Bool {
        used &+ charge <= limit
    }

    /// Whether a new object fits once another has been evicted; then it can take over the other's entry.
    @inlinable
    @inline(__always)
    func fits(_ charge: UInt64, inPlaceOf other: UInt64) -> Bool {
        used &+ charge &- other <= limit
    }

    @inlinable
    @inline(__always)
    mutating func add(_ charge: UInt64) {
        used &+= charge
        count &+= 1
    }

    @inlinable
    @inline(__always)
    mutating func subtract(_ charge: UInt64) {
        used &-= charge
        count &-= 1
    }

    /// Replaces the charge of one object by another's.
    @inlinable
    @inline(__always)
    mutating func exchange(_ old: UInt64, for new: UInt64) {
        used = used &- old &+ new
    }

    /// The mean charge of the resident objects, rounded up: what a minimum of a number of entries means in weight.
    @inlinable
    @inline(__always)
    var meanCharge: UInt64 {
        countsEntries || count == 0 ? 1 : (used &+ UInt64(count) &- 1) / UInt64(count)
    }

    /// A share of the limit, rounded down.
    @inlinable
    func share(_ fraction: Double) -> UInt64 {
        UInt64(Double(limit) * fraction)
    }
}

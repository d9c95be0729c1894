/// How much a policy may hold, and how much it holds.
@usableFromInline
package struct Budget {
    /// At most 2^62, so that no sum of what is held and one more object overflows.
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

    /// What an object of this weight takes: 1 where entries are counted, and never 0.
    @inlinable
    @inline(__always)
    func charge(_ weight: UInt32) -> UInt32 {
        countsEntries ? 1 : max(weight, 1)
    }

    @inlinable
    @inline(__always)
    func canEverHold(_ charge: UInt32) -> Bool {
        UInt64(charge) <= limit
    }

    @inlinable
    @inline(__always)
    func fits(_ charge: UInt32) -> Bool {
        used &+ UInt64(charge) <= limit
    }

    /// Whether a new object fits once another has gone: then it can take the other's place as it is.
    @inlinable
    @inline(__always)
    func fits(_ charge: UInt32, inPlaceOf other: UInt32) -> Bool {
        used &+ UInt64(charge) &- UInt64(other) <= limit
    }

    @inlinable
    @inline(__always)
    mutating func add(_ charge: UInt32) {
        used &+= UInt64(charge)
        count &+= 1
    }

    @inlinable
    @inline(__always)
    mutating func subtract(_ charge: UInt32) {
        used &-= UInt64(charge)
        count &-= 1
    }

    /// One object goes, another comes.
    @inlinable
    @inline(__always)
    mutating func exchange(_ old: UInt32, for new: UInt32) {
        used = used &- UInt64(old) &+ UInt64(new)
    }

    @inlinable
    mutating func reset() {
        used = 0
        count = 0
    }

    /// A share of the limit, rounded down.
    @inlinable
    func share(_ fraction: Double) -> UInt64 {
        UInt64(Double(limit) * fraction)
    }
}

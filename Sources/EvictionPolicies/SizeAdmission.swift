import Foundation

/// Size with probability: admits an object of a size with the probability exp(-size / c), so that the hit of one large
/// object does not cost those of many small ones.
///
/// D. S. Berger, R. K. Sitaraman, M. Harchol-Balter: AdaptSize: Orchestrating the Hot Object Memory Cache in a Content
/// Delivery Network, NSDI 2017, with a fixed c; ``AdaptSizeAdmission`` adapts it. A limit `below` refuses all objects
/// from a size on; with the largest c it is the only rule. The random numbers come from a fixed seed.
///
/// Weights: the size is the weight. Where entries are counted, every object has size 1 and almost none is refused.
@usableFromInline
package struct SizeAdmission: AdmissionPolicy, ~Copyable {
    /// c; infinite where objects are refused by the limit only.
    @usableFromInline
    let scale: Double
    /// Objects of this size and more are refused.
    @usableFromInline
    let limit: Double
    @usableFromInline
    var random: RandomStream

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        self.init(capacity: capacity, settings: settings, seed: 0)
    }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings, seed: UInt64) {
        let scale = settings[Self.scaleParameter]
        self.scale = scale >= 1e15 ? .infinity : scale
        limit = settings[Self.limitParameter]
        random = RandomStream(seed: seed)
    }

    @usableFromInline static var scaleParameter: PolicyParameter {
        PolicyParameter("c", .number, 1...1e15, standard: 1e6, "the size that is admitted with the probability 1/e")
    }

    @usableFromInline static var limitParameter: PolicyParameter {
        PolicyParameter("below", .number, 1...0x1p32, standard: 0x1p32, "the size from which on all are refused")
    }

    @inlinable package var comparesWithVictim: Bool { false }
    @inlinable package var refusesBySize: Bool { true }

    @inlinable
    @inline(__always)
    package mutating func use(_ object: ObjectID, charge: UInt32) {}

    @inlinable
    package mutating func admits(_ object: ObjectID, charge: UInt32, over victim: ObjectID?, residents: Int) -> Bool {
        let size = Double(charge)
        if size >= limit { return false }
        return scale == .infinity || random.fraction() < Self.probability(size, scale)
    }

    /// exp(-size / c).
    @usableFromInline
    static func probability(_ size: Double, _ scale: Double) -> Double { exp(-size / scale) }

    @inlinable
    package mutating func removeAll() { random.restart() }
}

extension SizeAdmission {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "size-probability", summary: "admits with the probability exp(-size / c), or below a size",
            source: "Berger, Sitaraman and Harchol-Balter, NSDI 2017, with a fixed c",
            agreement: """
                libcachesim 0.3.5: with `below` its size admission, to the last miss; with c = 1 / exponent its \
                sizeProbabilistic, within 0.2 points of misses, less than that program's seeds are apart
                """,
            advice: """
                Take it where sizes differ by orders of magnitude and hits count, not bytes. c must suit the sizes and \
                the capacity: one that is too small refuses what would hit.
                """,
            parameters: [scaleParameter, limitParameter])
    }
}

import Foundation

/// Size with probability: admits an object of a size with the probability exp(-size / c), so that the hit of one large
/// object does not cost those of many small ones.
///
/// D. S. Berger, R. K. Sitaraman, M. Harchol-Balter: AdaptSize: Orchestrating the Hot Object Memory Cache in a Content
/// Delivery Network, NSDI 2017, with a fixed c; ``AdaptSizeAdmission`` adapts it. A limit `below` refuses all objects
/// from a size on; with the largest c it is the only rule. The random numbers come from a fixed seed.
///
/// Weights: the size is the weight. Where entries are counted, every object has size 1 and almost none is refused.
final class SizeAdmission: AdmissionPolicy {
    /// c; infinite where objects are refused by the limit only.
    let scale: Double
    /// Objects of this size and more are refused.
    let limit: Double
    var random = RandomStream()

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        let scale = settings[Self.scaleParameter]
        self.scale = scale >= 1e15 ? .infinity : scale
        limit = settings[Self.limitParameter]
    }

    static var scaleParameter: PolicyParameter {
        PolicyParameter("c", .number, 1...1e15, standard: 1e6, "the size that is admitted with the probability 1/e")
    }

    static var limitParameter: PolicyParameter {
        PolicyParameter("below", .number, 1...0x1p63, standard: 0x1p63, "the size from which on all are refused")
    }

    var comparesWithVictim: Bool { false }
    var refusesBySize: Bool { true }

    @inline(__always)
    func use(_ object: ObjectID, charge: UInt64) {}

    func admits(_ object: ObjectID, charge: UInt64, over victim: ObjectID?, residents: Int) -> Bool {
        let size = Double(charge)
        if size >= limit { return false }
        return scale == .infinity || random.fraction() < Self.probability(size, scale)
    }

    /// exp(-size / c).
    static func probability(_ size: Double, _ scale: Double) -> Double { exp(-size / scale) }

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "size-probability", summary: "admits with the probability exp(-size / c), or below a size",
            source: "Berger, Sitaraman and Harchol-Balter, NSDI 2017, with a fixed c",
            agreement: """
                libcachesim 0.3.5: with `below` its size admission, to the last miss; with c = 1 / exponent its \
                sizeProbabilistic, within 0.2 pp of misses, less than that program's seeds are apart
                """,
            advice: """
                Take it where sizes differ by orders of magnitude and hits count, not bytes. c must suit the sizes and \
                the capacity: one that is too small refuses what would hit.
                """,
            parameters: [scaleParameter, limitParameter])
    }
}

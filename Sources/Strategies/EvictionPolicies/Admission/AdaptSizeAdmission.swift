import Foundation

/// AdaptSize: admits an object with the probability exp(-size / c), and chooses c again after each window of requests,
/// so that a model of the cache has the most hits.
///
/// D. S. Berger, R. K. Sitaraman, M. Harchol-Balter: AdaptSize: Orchestrating the Hot Object Memory Cache in a Content
/// Delivery Network, NSDI 2017. For the model see ``AdmissionModel``; the rates of requests are smoothed: a window
/// counts 70 %, everything before it 30 %. The window has 250,000 requests as in the paper. In the first one everything
/// is admitted; a window that requests less than the capacity chooses nothing.
///
/// Weights: the size is the weight. Where entries are counted all sizes are 1, and the choice of c hardly matters.
final class AdaptSizeAdmission: AdmissionPolicy {
    let window: Int
    let limit: UInt64
    /// c.
    var scale = Double.infinity
    var random = RandomStream()
    /// The number of requests in this window.
    var requests = 0
    /// What is known about each object, by number.
    var objects: [Seen] = []
    /// The objects with a rate or with requests in this window.
    var known: [ObjectID] = []

    /// The requests for an object.
    struct Seen {
        /// Smoothed requests in a window.
        var rate: Float = 0
        /// Requests in this window.
        var requests: UInt32 = 0
        var size: UInt64 = 0
    }

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        window = settings.count(Self.windowParameter)
        limit = Budget(capacity).limit
    }

    static var windowParameter: PolicyParameter {
        PolicyParameter("window", .count, 100...1e9, standard: 250_000, "requests after which c is chosen again")
    }

    var comparesWithVictim: Bool { false }
    var refusesBySize: Bool { true }

    @inline(__always)
    func use(_ object: ObjectID, charge: UInt64) { count(object, size: charge) }

    func admits(_ object: ObjectID, charge: UInt64, over victim: ObjectID?, residents: Int) -> Bool {
        count(object, size: charge)
        return scale == .infinity || random.fraction() < SizeAdmission.probability(Double(charge), scale)
    }

    @inline(__always)
    func count(_ object: ObjectID, size: UInt64) {
        if Int(object) >= objects.count { growObjects(toHold: object) }
        let requestsBefore = objects[Int(object)].requests
        if requestsBefore == 0, objects[Int(object)].rate == 0 { known.append(object) }
        objects[Int(object)].requests = requestsBefore &+ 1
        objects[Int(object)].size = size
        requests &+= 1
        if requests >= window { endWindow() }
    }

    @inline(never)
    func growObjects(toHold object: ObjectID) {
        let larger = max(Int(object) + 1, objects.count * 2, 64)
        objects.append(contentsOf: repeatElement(Seen(), count: larger - objects.count))
    }

    /// Smooths the rates, forgets objects that are hardly requested any more, and chooses c.
    /// O(known objects × tried values).
    @inline(never)
    func endWindow() {
        requests = 0
        var model = AdmissionModel(limit: Double(limit))
        var kept: [ObjectID] = []
        for object in known {
            var seen = objects[Int(object)]
            seen.rate = seen.rate * 0.3 + Float(seen.requests) * 0.7
            seen.requests = 0
            if seen.rate < 0.1 {
                seen.rate = 0
            } else {
                kept.append(object)
                model.add(rate: Double(seen.rate), size: Double(seen.size))
            }
            objects[Int(object)] = seen
        }
        known = kept
        if let best = model.bestScale() { scale = best }
    }

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "adapt-size", summary: "admits with the probability exp(-size / c), and tunes c by a model",
            source: "Berger, Sitaraman and Harchol-Balter, NSDI 2017",
            agreement: """
                libcachesim 0.3.5, roughly: from 0.4 pp fewer to 2.3 pp more misses on cloudPhysicsIO with \
                windows of 10,000 and 30,000 requests; its source was not compared
                """,
            advice: """
                Take it where sizes differ by orders of magnitude and hits count, not bytes: CDN traffic in memory. It \
                keeps 16 bytes for each object of the trace, and models the recent objects about 45 times after each \
                window.
                """,
            parameters: [windowParameter])
    }
}

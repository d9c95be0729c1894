/// Second request: refuses an object at its first request and admits it at the next one that misses.
///
/// B. M. Maggs, R. K. Sitaraman: Algorithmic Nuggets in Content Delivery, ACM SIGCOMM Computer Communication Review
/// 45(3), 2015, where a Bloom filter remembers what was requested. Here there are two filters, of which the younger
/// fills: once it has `memory` objects, the older is emptied and becomes the younger.
///
/// A filter has 8 bits an object and 3 probes. The first is the object's number, so that a filter makes no mistake on a
/// trace of up to 4 times `memory` objects. With more objects at most 4 % of the first requests are taken for second
/// ones.
///
/// Departure from libcachesim's `bloomfilter`, a hash table that forgets nothing: here objects also enter while there
/// is room.
final class SecondRequestAdmission: AdmissionPolicy {
    /// The bits of two filters, one after the other; the first half of each belongs to the first probe.
    let words: UnsafeMutablePointer<UInt64>
    /// The number of bits in half a filter, which is a power of two, minus 1.
    let mask: Int
    /// The number of objects after which the filters change places.
    let memory: Int
    /// The index of the first word of the younger filter.
    var younger = 0
    /// The number of objects in the younger filter.
    var count = 0

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        memory = settings.count(Self.memoryParameter)
        var half = 64
        while half < memory * 4 { half *= 2 }
        mask = half - 1
        words = .allocate(capacity: half / 16)
        words.initialize(repeating: 0, count: half / 16)
    }

    static var memoryParameter: PolicyParameter {
        PolicyParameter("memory", .count, 16...1e8, standard: 1_048_576, "objects that one of two filters remembers")
    }

    deinit { words.deallocate() }

    var comparesWithVictim: Bool { false }
    var refusesBySize: Bool { false }

    /// The number of words of a filter.
    var size: Int { (mask &+ 1) &>> 5 }

    @inline(__always)
    func use(_ object: ObjectID, charge: UInt64) {}

    func admits(_ object: ObjectID, charge: UInt64, over victim: ObjectID?, residents: Int) -> Bool {
        let hash = FrequencySketch.spread(object)
        let half = mask &+ 1
        let first = Int(object) & mask
        let second = half &+ (Int(truncatingIfNeeded: hash) & mask)
        let third = half &+ (Int(truncatingIfNeeded: hash &>> 32) & mask)
        if has(first, second, third, in: younger) { return true }
        let isKnown = has(first, second, third, in: size &- younger)
        if count >= memory { changePlaces() }
        set(first)
        set(second)
        set(third)
        count &+= 1
        return isKnown
    }

    @inline(__always)
    func has(_ first: Int, _ second: Int, _ third: Int, in filter: Int) -> Bool {
        let bits = words + filter
        return bits[first &>> 6] &>> UInt64(first & 63) & bits[second &>> 6] &>> UInt64(second & 63)
            & bits[third &>> 6] &>> UInt64(third & 63) & 1 != 0
    }

    @inline(__always)
    func set(_ bit: Int) { words[younger &+ bit &>> 6] |= 1 &<< UInt64(bit & 63) }

    /// Empties the older filter, which becomes the younger. O(filter), once in each `memory` objects.
    func changePlaces() {
        younger = size &- younger
        (words + younger).update(repeating: 0, count: size)
        count = 0
    }

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "second-request", summary: "admits an object on its second request",
            source: "Maggs and Sitaraman, SIGCOMM CCR 45(3), 2015",
            agreement: "libcachesim 0.3.5's Bloom filter admission, to the last miss where both refuse with room left",
            advice: """
                Take it where most objects are requested only once and a write to the cache is expensive: CDN and \
                flash. Every object costs one miss more. It takes 2 bytes for each object that it can remember, \
                whatever the capacity.
                """,
            parameters: [memoryParameter])
    }
}

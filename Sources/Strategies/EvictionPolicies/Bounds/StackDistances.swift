/// The exact miss counts of LRU at every size at once, in one pass over the requests: its miss-ratio curve.
///
/// The stack distance of a request is the number of other objects that were requested since the last request for the
/// same object. A request hits in an LRU cache exactly when its stack distance is less than the number of entries (R.
/// L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems
/// Journal 9(2), 1970). For objects of one size.
///
/// Each request sets a bit at the next position of a row and clears the bit at the object's last position; the
/// distance is the number of bits after that position. Bit counts for blocks of 512 and for groups of 32 blocks keep
/// counting short, where a tree (B. T. Bennett, V. J. Kruskal, LRU Stack Processing, 1975) would access scattered
/// memory. A full row is compacted, which is rare, because it has four positions for each object.
///
/// A request costs O(objects / 16,384) with a tiny factor; memory is at most 64 bytes for each object.
@usableFromInline
package struct StackDistances: ~Copyable {
    /// The position of the last request for each object, plus 1; 0 for none.
    @usableFromInline
    var lastPosition: UnsafeMutablePointer<UInt32>
    @usableFromInline
    var objectCapacity = 1024
    /// The number of requests with each distance.
    @usableFromInline
    var requestsAtDistance: UnsafeMutablePointer<Int>
    /// One bit for each position: whether it is an object's last one.
    @usableFromInline
    var words: UnsafeMutablePointer<UInt64>
    @usableFromInline
    var objectAtPosition: UnsafeMutablePointer<UInt32>
    /// The number of set bits in each block of 8 words.
    @usableFromInline
    var blocks: UnsafeMutablePointer<UInt16>
    /// The number of set bits in each group of 32 blocks.
    @usableFromInline
    var groups: UnsafeMutablePointer<UInt32>
    @usableFromInline
    var groupCount = 1
    @usableFromInline
    var nextPosition = 0
    /// The number of different objects so far.
    @usableFromInline
    package var uniqueCount = 0
    @usableFromInline
    package var requestCount = 0

    @usableFromInline static var positionsPerGroup: Int { @inlinable get { 16_384 } }

    /// Creates an empty instance, before the first request.
    @inlinable
    package init() {
        lastPosition = .allocate(capacity: objectCapacity)
        lastPosition.initialize(repeating: 0, count: objectCapacity)
        requestsAtDistance = .allocate(capacity: objectCapacity)
        requestsAtDistance.initialize(repeating: 0, count: objectCapacity)
        words = .allocate(capacity: 256)
        words.initialize(repeating: 0, count: 256)
        blocks = .allocate(capacity: 32)
        blocks.initialize(repeating: 0, count: 32)
        groups = .allocate(capacity: 1)
        groups.initialize(to: 0)
        objectAtPosition = .allocate(capacity: Self.positionsPerGroup)
    }

    @inlinable
    deinit {
        lastPosition.deallocate()
        requestsAtDistance.deallocate()
        words.deallocate()
        blocks.deallocate()
        groups.deallocate()
        objectAtPosition.deallocate()
    }

    /// Processes a request.
    ///
    /// - Returns: the stack distance, from 0 on; -1 for the first request of an object.
    @inlinable
    @inline(__always)
    @discardableResult
    package mutating func request(_ object: ObjectID) -> Int {
        if Int(object) >= objectCapacity { growObjects(toHold: object) }
        if nextPosition == groupCount &* Self.positionsPerGroup { closeUp() }
        requestCount &+= 1
        let last = Int(lastPosition[Int(object)]) &- 1
        var distance = -1
        if last >= 0 {
            distance = countBits(after: last)
            requestsAtDistance[distance] &+= 1
            words[last &>> 6] ^= 1 &<< UInt64(truncatingIfNeeded: last & 63)
            blocks[last &>> 9] &-= 1
            groups[last &>> 14] &-= 1
        } else {
            uniqueCount &+= 1
        }
        let position = nextPosition
        nextPosition = position &+ 1
        words[position &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: position & 63)
        blocks[position &>> 9] &+= 1
        groups[position &>> 14] &+= 1
        objectAtPosition[position] = object
        lastPosition[Int(object)] = UInt32(truncatingIfNeeded: nextPosition)
        return distance
    }

    @inlinable
    @inline(__always)
    func countBits(after position: Int) -> Int {
        let word = position &>> 6
        // Shifted in two steps, because a shift by 64 would shift by 0.
        var count = ((words[word] &>> UInt64(truncatingIfNeeded: position & 63)) &>> 1).nonzeroBitCount
        var index = word &+ 1
        while index & 7 != 0 {
            count &+= words[index].nonzeroBitCount
            index &+= 1
        }
        var block = position &>> 9 &+ 1
        while block & 31 != 0 {
            count &+= Int(blocks[block])
            block &+= 1
        }
        let lastGroup = (nextPosition &- 1) &>> 14
        var group = position &>> 14 &+ 1
        while group <= lastGroup {
            count &+= Int(groups[group])
            group &+= 1
        }
        return count
    }

    /// The number of misses of an LRU cache with `entries` entries. O(entries).
    package func misses(entries: Int) -> Int {
        var hits = 0
        for distance in 0..<max(0, min(entries, uniqueCount)) { hits += requestsAtDistance[distance] }
        return requestCount - hits
    }

    /// The numbers of misses of LRU caches with 0, 1, 2 and so on entries, up to the number of objects; larger caches
    /// have no fewer misses. O(objects).
    package func missCurve() -> [Int] {
        var misses = requestCount
        var curve = [misses]
        curve.reserveCapacity(uniqueCount + 1)
        for distance in 0..<uniqueCount {
            misses -= requestsAtDistance[distance]
            curve.append(misses)
        }
        return curve
    }
}

extension StackDistances {
    @inlinable
    @inline(never)
    mutating func growObjects(toHold object: ObjectID) {
        var larger = objectCapacity
        while larger <= Int(object) { larger *= 2 }
        let moved = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
        moved.initialize(from: lastPosition, count: objectCapacity)
        (moved + objectCapacity).initialize(repeating: 0, count: larger - objectCapacity)
        lastPosition.deallocate()
        lastPosition = moved
        // A distance is less than the number of objects.
        let movedRequests = UnsafeMutablePointer<Int>.allocate(capacity: larger)
        movedRequests.initialize(from: requestsAtDistance, count: objectCapacity)
        (movedRequests + objectCapacity).initialize(repeating: 0, count: larger - objectCapacity)
        requestsAtDistance.deallocate()
        requestsAtDistance = movedRequests
        objectCapacity = larger
    }

    /// Compacts the objects' last positions to the front of the row, in their order. O(row).
    @inlinable
    @inline(never)
    mutating func closeUp() {
        let oldWordCount = groupCount * 256
        let neededGroups = uniqueCount * 4 / Self.positionsPerGroup + 1
        // Positions are stored as 32-bit numbers.
        precondition(neededGroups < 1 << 18)
        let newGroupCount = max(groupCount, neededGroups)
        let moved = UnsafeMutablePointer<UInt32>.allocate(capacity: newGroupCount * Self.positionsPerGroup)
        var count = 0
        for word in 0..<oldWordCount {
            var bits = words[word]
            while bits != 0 {
                let object = objectAtPosition[word &* 64 &+ bits.trailingZeroBitCount]
                bits &= bits &- 1
                moved[count] = object
                count &+= 1
                lastPosition[Int(object)] = UInt32(truncatingIfNeeded: count)
            }
        }
        objectAtPosition.deallocate()
        objectAtPosition = moved
        setFirstBits(count, groupCount: newGroupCount)
        nextPosition = count
    }

    /// Creates a row of `newGroupCount` groups, in which only the first `count` bits are set.
    @inlinable
    mutating func setFirstBits(_ count: Int, groupCount newGroupCount: Int) {
        words.deallocate()
        blocks.deallocate()
        groups.deallocate()
        groupCount = newGroupCount
        words = .allocate(capacity: newGroupCount * 256)
        for word in 0..<newGroupCount * 256 {
            let bits = min(max(count - word * 64, 0), 64)
            (words + word).initialize(to: bits == 64 ? .max : 1 << UInt64(bits) - 1)
        }
        blocks = .allocate(capacity: newGroupCount * 32)
        for block in 0..<newGroupCount * 32 {
            (blocks + block).initialize(to: UInt16(min(max(count - block * 512, 0), 512)))
        }
        groups = .allocate(capacity: newGroupCount)
        for group in 0..<newGroupCount {
            (groups + group).initialize(
                to: UInt32(min(max(count - group * Self.positionsPerGroup, 0), Self.positionsPerGroup)))
        }
    }
}

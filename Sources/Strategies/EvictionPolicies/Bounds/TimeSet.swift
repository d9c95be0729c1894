/// A set of points in time from which the latest can be removed: bits in words, a level above with bits for the words
/// that are not 0, and so on up to a single word.
///
/// All operations cost O(log of the range to the base 64): at most 6 steps for 2^32 points, mostly 1.
struct TimeSet: ~Copyable {
    /// All levels one after the other, the points first.
    let words: UnsafeMutablePointer<UInt64>
    let wordCount: Int
    /// The start of each level in `words`.
    let starts: UnsafeMutablePointer<Int>
    let levelCount: Int

    /// An empty set for the points from 0 to `range` - 1.
    init(range: Int) {
        var sizes = [max((range + 63) / 64, 1)]
        while let size = sizes.last, size > 1 { sizes.append((size + 63) / 64) }
        levelCount = sizes.count
        starts = .allocate(capacity: sizes.count)
        var start = 0
        for (level, size) in sizes.enumerated() {
            starts[level] = start
            start += size
        }
        wordCount = start
        words = .allocate(capacity: start)
        words.initialize(repeating: 0, count: start)
    }

    deinit {
        words.deallocate()
        starts.deallocate()
    }

    @inline(__always)
    func contains(_ point: Int) -> Bool {
        words[point &>> 6] &>> UInt64(truncatingIfNeeded: point & 63) & 1 != 0
    }

    /// Adds a point that isn't in the set.
    @inline(__always)
    func insert(_ point: Int) {
        var position = point
        var level = 0
        while level < levelCount {
            let word = words + starts[level] + (position &>> 6)
            let before = word.pointee
            word.pointee = before | 1 &<< UInt64(truncatingIfNeeded: position & 63)
            // The levels above already mark this word.
            if before != 0 { return }
            position &>>= 6
            level &+= 1
        }
    }

    /// Removes a point that is in the set.
    @inline(__always)
    func remove(_ point: Int) {
        var position = point
        var level = 0
        while level < levelCount {
            let word = words + starts[level] + (position &>> 6)
            word.pointee ^= 1 &<< UInt64(truncatingIfNeeded: position & 63)
            if word.pointee != 0 { return }
            position &>>= 6
            level &+= 1
        }
    }

    /// The latest point. The set is not empty.
    @inline(__always)
    func latest() -> Int {
        var position = 0
        var level = levelCount
        while level > 0 {
            level &-= 1
            let word = words[starts[level] &+ position]
            position = position &<< 6 &+ (63 &- word.leadingZeroBitCount)
        }
        return position
    }
}

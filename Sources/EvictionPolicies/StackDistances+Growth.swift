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

extension RandomAccessCollection {
    /// The first index whose element fulfils a condition that holds for all later elements too; `endIndex` where none
    /// does. O(log n).
    @inlinable
    package func partitioningIndex(where isPast: (Element) -> Bool) -> Index {
        var (first, count) = (startIndex, count)
        while count > 0 {
            let half = count / 2
            let middle = index(first, offsetBy: half)
            if isPast(self[middle]) {
                count = half
            } else {
                first = index(after: middle)
                count -= half + 1
            }
        }
        return first
    }
}

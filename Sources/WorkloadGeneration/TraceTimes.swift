/// The due times of a trace's requests, starting at one of them; the trace restarts when it ends.
package struct TraceTimes: @unchecked Sendable {
    // Sound although unchecked: the memory it points to never changes and lives as long as the workload, which it
    // keeps.
    private let times: UnsafePointer<UInt64>
    private let count: Int
    private let speed: Double
    private let workload: TraceWorkload
    /// The next request.
    private var place: Int
    /// The offset of its time, in nanoseconds of the trace: the previous rounds minus the time of the first request.
    private var shift: Double

    /// Creates times that start after `operationsBefore` requests; `nil` when the trace has no times.
    ///
    /// - Parameter speed: how many times faster than it was recorded the trace is replayed; above 0.
    package init?(_ workload: TraceWorkload, operationsBefore: UInt64, speed: Double) {
        guard let times = workload.times else { return nil }
        self.times = times
        self.workload = workload
        self.speed = speed
        count = workload.requestCount
        place = Int(operationsBefore % UInt64(count))
        shift = -Double(times[place])
    }

    /// The due time of the next request, in nanoseconds from the start. O(1).
    package mutating func next() -> UInt64 {
        let due = max((Double(times[place]) + shift) / speed, 0)
        place += 1
        if place == count {
            place = 0
            let length = Double(times[count - 1] - times[0])
            // One mean gap between the last request and the first request of the next round.
            shift += length + length / Double(max(count - 1, 1))
        }
        return due < 0x1p62 ? UInt64(due) : .max
    }

    /// Times that never decrease. Requests with equal times are spread evenly until the next time; otherwise a trace in
    /// whole seconds would send all requests of a second at once. O(n).
    static func spread(_ times: [UInt64]) -> [UInt64] {
        var spread = times
        for index in spread.indices.dropFirst() { spread[index] = max(spread[index], spread[index - 1]) }
        var first = 0
        var gap: UInt64 = 0
        while first < spread.count {
            let moment = spread[first]
            let end = spread[first...].firstIndex { $0 > moment } ?? spread.count
            // The last interval is assumed to be as long as the previous one.
            if end < spread.count { gap = spread[end] - moment }
            let step = Double(gap) / Double(end - first)
            for index in first..<end { spread[index] = moment + UInt64(step * Double(index - first)) }
            first = end
        }
        return spread
    }
}

/// What a policy's hits are worth when time is considered: loads in flight, and lifetimes.
extension AdviceReplay {
    /// The share of all requests that wait for a load of the same key, which another request has started. Without
    /// single-flight, each of them would be another request to the origin. O(kept requests).
    ///
    /// - Parameters:
    ///   - hits: whether each lookup hits, in a replay where a load takes no time.
    ///   - nanoseconds: the time of a load.
    /// - Returns: `nil` when the trace has no times.
    func singleFlight(_ hits: [Bool], nanoseconds: Double) -> AdviceEstimate? {
        var started = [UInt64?](repeating: nil, count: trace.hashes.count)
        return share(of: hits) { index, isHit in
            let key = Int(trace.ids[index])
            // A write brings its value, and waits for no load.
            if trace.isWrite(at: index) {
                started[key] = nil
                return false
            }
            if let start = started[key], Double(trace.times[index] - start) < nanoseconds { return true }
            started[key] = isHit ? nil : trace.times[index]
            return false
        }
    }

    /// The share of all requests that hit, but with a value older than a lifetime, so that they would miss. A load
    /// or a write begins a new lifetime. O(kept requests).
    ///
    /// - Returns: `nil` when the trace has no times.
    func expired(_ hits: [Bool], lifetimeNanoseconds: UInt64) -> AdviceEstimate? {
        var loaded = [UInt64](repeating: 0, count: trace.hashes.count)
        return share(of: hits) { index, isHit in
            let (key, time) = (Int(trace.ids[index]), trace.times[index])
            let isRead = !trace.isWrite(at: index)
            if isHit, isRead, time - loaded[key] < lifetimeNanoseconds { return false }
            loaded[key] = time
            return isHit && isRead
        }
    }

    /// The share of the lookups for which `isCounted` is true, with an error from the differences between slices.
    private func share(of hits: [Bool], _ isCounted: (Int, Bool) -> Bool) -> AdviceEstimate? {
        guard !trace.times.isEmpty else { return nil }
        var cells = [Double](repeating: 0, count: Self.cellCount)
        var lookup = 0
        trace.forEachLookup { index in
            if isCounted(index, hits[lookup]) { cells[trace.cell(index)] += 1 }
            lookup += 1
        }
        return mean(cells, .hits, in: 0..<AdviceTrace.sliceCount)
    }
}

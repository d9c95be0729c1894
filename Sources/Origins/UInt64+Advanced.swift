extension UInt64 {
    /// The point in time that is `duration` later, clamped to the range of the type.
    func advanced(by duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsAgain) = addingReportingOverflow(whole)
        let (end, overflowsAtLast) = sum.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflows || overflowsAgain || overflowsAtLast ? .max : end
    }
}

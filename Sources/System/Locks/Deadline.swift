package import Foundation

extension Date {
    /// When a wait of so many seconds ends.
    ///
    /// `NSCondition.wait(until:)` traps on dates after 2262 (Foundation of Swift 6.3 on Linux), so that a wait ends
    /// after 30 years at the latest.
    package static func deadline(in seconds: Double) -> Date {
        Date(timeIntervalSinceNow: min(seconds, 30 * 365 * 86400))
    }
}

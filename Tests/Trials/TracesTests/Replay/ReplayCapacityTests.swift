import EvictionPolicies
import Testing

@testable import Traces

/// Sizes as users write them.
@Suite(.timeLimit(.minutes(5)))
struct ReplayCapacityTests {
    @Test(
        arguments: [
            ("1000", .entries(1000)), ("1_000", .entries(1000)), ("5%", .share(0.05)), ("0.1 %", .share(0.001)),
            ("100%", .share(1)), ("64MiB", .bytes(64 << 20)), ("1.5 GiB", .bytes(3 << 29)), ("2kB", .bytes(2000)),
            ("7B", .bytes(7)),
        ] as [(String, ReplayCapacity)])
    func `a size is entries, a share of the keys, or bytes`(text: String, expected: ReplayCapacity) {
        #expect(ReplayCapacity(text) == expected)
    }

    @Test(arguments: [
        "", "0", "-1", "4000000001", "0%", "101%", "nan%", "inf%", "%", "MiB", "0B", "-3MiB", "nanB", "1e400GiB",
        "2000TiB", "five", "+5", "1e3B", "0x10%", "1.%", ".5%", "1.5", "5%%", "64 mib", "9223372036854775808",
    ])
    func `any other text is not a size`(text: String) {
        #expect(ReplayCapacity(text) == nil)
    }

    @Test func `a share is at least one entry`() {
        var summary = TraceSummary()
        summary.keys = 10
        #expect(ReplayCapacity.share(0.0001).resolved(for: summary) == .entries(1))
        #expect(ReplayCapacity.share(0.5).resolved(for: summary) == .entries(5))
    }
}

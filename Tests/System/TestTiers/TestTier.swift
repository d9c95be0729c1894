import Foundation
package import Testing

/// The tests come in two tiers: `scripts/test` runs what every change needs, `scripts/nightly` everything.
///
/// A fact that takes long gets a small sample in the first tier, and all of its cases in the second:
///
/// ```swift
/// for seed in TestTier.seeds(20_000) { … }      // 2,000 in scripts/test
/// @Test(.nightly) func `…`() { … }              // only in scripts/nightly
/// ```
package enum TestTier {
    /// Whether all cases run: the environment has `CACHE_TRIALS_NIGHTLY`.
    package static let isNightly = ProcessInfo.processInfo.environment["CACHE_TRIALS_NIGHTLY"] != nil

    /// How many of the nightly tier's random cases run in this tier: all of them, or a tenth, at least one.
    package static func cases(_ nightly: Int) -> Int { isNightly ? nightly : max(1, nightly / 10) }

    /// The seeds of random cases, from 1.
    ///
    /// - Parameter nightly: the number of cases of the nightly tier.
    package static func seeds(_ nightly: Int) -> ClosedRange<UInt64> { 1...UInt64(cases(max(1, nightly))) }
}

extension Trait where Self == ConditionTrait {
    /// The test runs only in `scripts/nightly`; a short case of the same fact runs in `scripts/test`.
    package static var nightly: Self { .enabled(if: TestTier.isNightly, "nightly: scripts/nightly tests") }
}

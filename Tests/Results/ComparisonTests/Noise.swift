import Foundation
import TrialModel

@testable import Comparison

/// Simulated figures of a noisy machine, drawn from a seed.
struct Noise {
    /// The distribution of a repetition's deviation.
    enum Kind: CaseIterable {
        /// Lognormal.
        case lognormal
        /// Student's t with two degrees of freedom: its variance is infinite.
        case heavyTails
        /// One repetition in ten is disturbed by another process, and takes up to half as long again.
        case disturbed
        /// Each repetition falls into one of two states of the machine, five times the noise apart.
        case twoStates
        /// The machine becomes slower continuously, by the noise with each trial.
        case drift
    }

    var kind: Kind
    /// The approximate standard deviation of the logarithm.
    var deviation: Double
    private var random: RandomSource
    private var elapsed = 0

    init(_ kind: Kind, _ deviation: Double, seed: UInt64) {
        self.kind = kind
        self.deviation = deviation
        random = RandomSource(seed: seed, stream: 1)
    }

    private mutating func normal() -> Double {
        (-2 * log(1 - random.nextFraction())).squareRoot() * cos(2 * .pi * random.nextFraction())
    }

    /// The factor of the next repetition's figure.
    mutating func factor() -> Double {
        elapsed += 1
        switch kind {
        case .lognormal: return exp(deviation * normal())
        case .heavyTails:
            let squares = (pow(normal(), 2) + pow(normal(), 2)) / 2
            return exp(deviation * max(-20, min(20, normal() / squares.squareRoot())))
        case .disturbed:
            return exp(deviation * normal()) * (random.nextFraction() < 0.1 ? 1 + random.nextFraction() / 2 : 1)
        case .twoStates: return exp(deviation * (normal() + (random.nextFraction() < 0.5 ? 5 : 0)))
        case .drift: return exp(deviation * (normal() + Double(elapsed)))
        }
    }

    /// Equally many figures of each side. The sides take turns, and also take turns at being first, like the
    /// strategies of a run.
    ///
    /// - Parameter slowdown: of the candidate.
    mutating func pair(
        _ metric: Metric, _ name: String, repetitions: Int, slowdown: Double = 1
    ) -> SamplePair {
        var pair = SamplePair(
            key: .init(scenario: "steady", strategy: name, phase: "main"), metric: metric, baseline: [:],
            candidate: [:])
        for repetition in 1...repetitions {
            var factors = [factor(), factor()]
            if repetition.isMultiple(of: 2) { factors.reverse() }
            let (before, after) = (factors[0], factors[1] * slowdown)
            pair.baseline[repetition] = metric.higherIsBetter ? 50_000 / before : 100_000 * before
            pair.candidate[repetition] = metric.higherIsBetter ? 50_000 / after : 100_000 * after
        }
        return pair
    }
}

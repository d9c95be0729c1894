import Testing

@testable import Statistics

@Suite(.timeLimit(.minutes(1))) struct CorrectionTests {
    /// The example that the literature on Benjamini and Hochberg uses; `golden.py` has scipy's counts for it.
    private static let known = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]

    private func found(_ correction: Correction, _ probabilities: [Double], _ error: Double) -> Int {
        let each = correction.error(ofEach: probabilities, together: error)
        return probabilities.count { $0 <= each }
    }

    @Test func `without a rejection each comparison gets its share of the error`() {
        #expect(Correction.holm.error(ofEach: [0.5, 0.9, 0.02, 0.3], together: 0.05) == 0.0125)
        #expect(Correction.benjaminiHochberg.error(ofEach: [0.5, 0.9, 0.06, 0.3], together: 0.05) == 0.0125)
    }

    @Test func `Holm's steps are reproduced at one error`() {
        // By hand: 0.01 ≤ 0.05/4, 0.015 ≤ 0.05/3, 0.03 > 0.05/2.
        #expect(found(.holm, [0.03, 0.01, 0.9, 0.015], 0.05) == 2)
        #expect(Correction.holm.error(ofEach: [0.03, 0.01, 0.9, 0.015], together: 0.05) == 0.05 / 3)
    }

    @Test func `Benjamini and Hochberg find as many as in scipy`() {
        #expect(found(.benjaminiHochberg, Self.known, 0.05) == 2)
        #expect(found(.benjaminiHochberg, Self.known, 0.1) == 6)
    }

    @Test func `Benjamini and Hochberg find what a later step finds`() {
        #expect(found(.benjaminiHochberg, [0.04, 0.045, 0.048], 0.05) == 3)
        #expect(found(.holm, [0.04, 0.045, 0.048], 0.05) == 0)
    }

    @Test func `without comparisons the error is unchanged`() {
        #expect(Correction.holm.error(ofEach: [], together: 0.05) == 0.05)
    }
}

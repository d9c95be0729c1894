import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct DecimalTextTests {
    @Test(arguments: [(1.5, "1.5"), (2, "2"), (-0.25, "-0.25"), (0.001, "0"), (100, "100"), (1.5e20, "1.5e+20")])
    func `a short number has no zeros at its end`(value: Double, text: String) {
        #expect(DecimalText.shortest(value, places: 2) == text)
    }

    @Test(arguments: [
        (0.0, 6, "0.000000"), (1.0, 6, "1.000000"), (2.0 / 3, 6, "0.666667"), (0.000_000_4, 6, "0.000000"),
        (0.999_999_9, 6, "1.000000"), (0.000_001, 6, "0.000001"), (12.05, 1, "12.1"), (7, 0, "7"),
        (-1.5, 2, "-1.50"), (-0.001, 2, "0.00"), (1e20, 3, "1e+20"), (.nan, 3, ""), (.infinity, 3, ""),
    ])
    func `a number has exactly the requested decimals`(value: Double, places: Int, text: String) {
        #expect(DecimalText.fixed(value, places: places) == text)
    }

    @Test(arguments: ["1", "0.5", "-3", "1e+20", "12345.679"])
    func `a number is read back`(text: String) {
        #expect(DecimalText.parse(text) == Double(text))
    }

    @Test(arguments: ["", " 1", "1 ", "0x10", "nan", "inf", "1,5", "1e999", "1.2.3", "١"])
    func `a text that is not a number is refused`(text: String) {
        #expect(DecimalText.parse(text) == nil)
    }
}

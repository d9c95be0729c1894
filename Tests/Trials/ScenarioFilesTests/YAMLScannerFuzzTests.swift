import Testing
import TrialModel

@testable import ScenarioFiles

/// Random texts from the pieces that make YAML hard to parse, all from printed seeds.
@Suite(.timeLimit(.minutes(1)))
struct YAMLScannerFuzzTests {
    private static let pieces = [
        "a", "b", "&x", "*x", "!t", "'", "\"", "\\", ":", ": ", ",", "[", "]", "{", "}", "-", "- ", "?", "? ", "#",
        " #",
        " ", "  ", "\n", "\n  ", "\n ", "\t", "|", ">", "---", "...", "%", "@", "'a'", "\"b\"", "a: ", "b: ", "\n- ",
        "1", "é", "\u{1F600}", "~", "<<: ", "a:", "\n\n", ", ", "x: [", "x: {",
    ]

    @Test(arguments: 1...8)
    func `an accepted text has no anchor, alias, tag or duplicate key for the parser`(seed: UInt64) {
        var random = RandomSource(seed: seed, stream: 0)
        var accepted = 0
        for _ in 0..<2500 {
            var text = ""
            for _ in 0...random.next(below: 14) {
                text += Self.pieces[Int(random.next(below: UInt64(Self.pieces.count)))]
            }
            guard HostileText.scannerFindings(in: text) == 0 else { continue }
            do {
                _ = try YAMLDocument(text: text, file: "fuzz.yaml")
                accepted += 1
            } catch {
                let message = error.mistakes[0].message
                let isMissed = ["an anchor", "an alias", "a key twice", "a complex key"].contains {
                    message.contains($0)
                }
                #expect(!isMissed, "seed \(seed), \(text.debugDescription): \(message)")
            }
        }
        // Enough texts are accepted for the test to mean something.
        #expect(accepted > 100)
    }

    @Test(arguments: 1...8)
    func `a sound scenario with random bytes in it never traps`(seed: UInt64) {
        var random = RandomSource(seed: seed, stream: 1)
        let sound = Array(ScenarioMistakeCase.Line.all.unicodeScalars)
        for _ in 0..<300 {
            var scalars = sound
            for _ in 0...random.next(below: 4) {
                let place = Int(random.next(below: UInt64(scalars.count)))
                switch random.next(below: 3) {
                case 0: scalars.remove(at: place)
                case 1:
                    let piece = Self.pieces[Int(random.next(below: UInt64(Self.pieces.count)))]
                    scalars.insert(contentsOf: piece.unicodeScalars, at: place)
                default: scalars[place] = Unicode.Scalar(UInt8(random.next(below: 128)))
                }
            }
            let text = String(String.UnicodeScalarView(scalars))
            // For any text there must be a result, and each mistake must lie within the text.
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
            for mistake in HostileText.mistakes(in: text) {
                #expect(mistake.split(separator: ":").first.flatMap { Int($0) } ?? 0 <= lines)
            }
        }
    }
}

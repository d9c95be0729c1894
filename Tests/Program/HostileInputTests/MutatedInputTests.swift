import Foundation
import TestTiers
import Testing
import TrialModel

/// Copies of scenario files and traces with random damage: read or refused, never a crash, never much time or memory.
///
/// `scripts/nightly hostile` repeats this with other seeds for a given time.
@Suite(.timeLimit(.minutes(60)), .serialized)
struct MutatedInputTests {
    /// How many copies one process reads.
    private static let batch = 60

    /// Sound scenarios, in which a small change has the largest effect, and the bad ones.
    private static func scenarios() -> [[UInt8]] {
        let shipped = URL(fileURLWithPath: HostileScenarioTests.committed.folder)
            .appendingPathComponent("../../../../Scenarios").standardizedFileURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: shipped.path)) ?? []
        let sound = names.sorted().filter { $0.hasSuffix(".yaml") }.map { shipped.appendingPathComponent($0).path }
        let bad = HostileScenarioTests.committed.files.map { "\(HostileScenarioTests.committed.folder)/\($0)" }
        // Sound ones as often as bad ones.
        return (bad + bad.indices.map { sound[$0 % sound.count] }).compactMap { path in
            FileManager.default.contents(atPath: path).map { Array($0) }
        }.filter { $0.count < 20_000 }
    }

    @Test func `a damaged scenario is good or refused with a place`() async throws {
        let originals = Self.scenarios()
        #expect(originals.count > 400)
        var stress = StressTime(part: "mutated scenario files", rounds: 4)
        while let seed = stress.nextSeed() {
            let folder = try TemporaryFolder()
            var random = RandomSource(seed: seed, stream: 11)
            let files = try (0..<Self.batch).map { index in
                let original = originals[Int(random.next(below: UInt64(originals.count)))]
                return try folder.write(Mutation.applied(to: original, &random), to: "\(index).yaml")
            }
            let ending = try await MeasuredProgram.run(["validate"] + files, in: folder.path)
            #expect(ending.signal == nil, "seed \(seed): \(ending.errors.suffix(3))")
            #expect(ending.exitCode == 65 || ending.exitCode == 0, "seed \(seed): \(ending.errors.suffix(3))")
            #expect(ending.residentBytesMax < MeasuredProgram.residentBytesMax, "seed \(seed)")
            #expect(ending.processorSeconds < 30, "seed \(seed)")
            for line in ending.errors {
                #expect(line.contains(#/\/[0-9]+\.yaml:[1-9][0-9]*:[1-9][0-9]*: /#), "seed \(seed): \(line)")
            }
            // Each file is either reported as good or has a line that says what is wrong.
            for file in files {
                let isGood = ending.output.contains("\(file): good;")
                let isRefused = ending.errors.contains { $0.hasPrefix("\(file):") }
                #expect(isGood != isRefused, "seed \(seed): \(file)")
            }
            stress.report(cases: files.count)
        }
    }

    @Test func `a damaged trace is described or refused by name`() async throws {
        let committed = HostileTraceTests.committed
        let originals = committed.files.filter { !$0.hasPrefix("bomb.") }
        var stress = StressTime(part: "mutated traces", rounds: 30)
        while let seed = stress.nextSeed() {
            let folder = try TemporaryFolder()
            var random = RandomSource(seed: seed, stream: 12)
            let name = originals[Int(random.next(below: UInt64(originals.count)))]
            let bytes = Array(FileManager.default.contents(atPath: "\(committed.folder)/\(name)") ?? Data())
            let file = try folder.write(Mutation.applied(to: bytes, &random), to: name)
            let ending = try await MeasuredProgram.run(["describe", file], in: folder.path)
            ending.expectOrderly("seed \(seed): \(name)")
            #expect(ending.exitCode == 65 || ending.exitCode == 0, "seed \(seed): \(ending.errors)")
            #expect(ending.exitCode == 0 || ending.errors.contains { $0.contains(file) }, "seed \(seed)")
            stress.report(cases: 1)
        }
    }
}

/// Random damage of bytes.
enum Mutation {
    /// Byte sequences that are difficult for parsers.
    private static let pieces = [
        "-1", "0", "1e400", ".nan", "9223372036854775808", "18446744073709551616", "null", "true", "\0", "\n", "\r\n",
        "\t", " ", ":", ": ", "- ", "{", "}", "[", "]", "&a ", "*a", "!t ", "\"", "'", "#", "|", "\u{FEFF}", "\u{202E}",
        "../", ",", "%", "\u{1B}[2J", "99999999999 h", "1 TiB",
    ].map { Array($0.utf8) }

    /// A copy with one to four changes.
    static func applied(to original: [UInt8], _ random: inout RandomSource) -> [UInt8] {
        var bytes = original
        for _ in 0...random.next(below: 4) {
            let place = Int(random.next(below: UInt64(bytes.count + 1)))
            let end = min(bytes.count, place + 1 + Int(random.next(below: 12)))
            let piece = pieces[Int(random.next(below: UInt64(pieces.count)))]
            switch random.next(below: 7) {
            case 0: bytes.insert(contentsOf: piece, at: place)
            case 1: bytes.replaceSubrange(place..<end, with: piece)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.next(below: 8))
            case 5 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 6 where random.next(below: 4) == 0: bytes.removeLast(bytes.count - place)
            default: bytes.insert(contentsOf: piece, at: place)
            }
        }
        return bytes
    }
}

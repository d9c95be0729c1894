import Foundation
import TestTiers
import Testing

/// Damaged result folders: every verb that reads one says which file is damaged, or works without it on purpose.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct HostileResultTests {
    private static let scenario = """
        title: Small
        repetitions: 1
        keys: { kind: string, count: 50, popularity: { zipf: 1.0 } }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 10 }
        origin: { kind: memory }
        strategies: [lru]
        phases:
          - { name: first, operations: 100, mix: { load: 1 } }
          - { name: second, operations: 100, mix: { load: 1 } }

        """

    /// A sound folder, which is copied and damaged for every verb.
    private let made: TemporaryFolder

    init() async throws {
        made = try TemporaryFolder()
        try made.write(Array(Self.scenario.utf8), to: "small.yaml")
        let ending = try await MeasuredProgram.run(
            ["run", "small.yaml", "--quiet", "--output", "sound"], in: made.path)
        try #require(ending.exitCode == 0, "\(ending.errors)")
    }

    /// The verbs that read result folders, and how.
    private static let verbs: [(name: String, arguments: @Sendable (_ place: (String) -> String) -> [String])] = [
        ("compare", { ["compare", $0("damaged"), $0("sound"), "--paired"] }),
        ("report", { ["report", $0("damaged"), "--output", $0("page.html")] }),
        ("resume", { ["run", $0("small.yaml"), "--quiet", "--output", $0("damaged"), "--resume"] }),
    ]

    /// Every damage; one in twelve in the first tier.
    private static let damages = ResultDamage.all.enumerated().filter {
        TestTier.isNightly || $0.offset.isMultiple(of: 12)
    }

    @Test func `there are more than sixty ways to damage a folder`() {
        #expect(ResultDamage.all.count > 60)
        #expect(Set(ResultDamage.all.map(\.description)).count == ResultDamage.all.count)
    }

    @Test func `a sound folder is read by every verb`() async throws {
        for (verb, arguments) in Self.verbs {
            try copySound()
            let ending = try await MeasuredProgram.run(arguments { $0 }, in: made.path)
            #expect(ending.exitCode == 0, "\(verb): \(ending.errors)")
        }
    }

    @Test func `a damaged folder is refused by file and line, or read without the file`() async throws {
        var codes: [String] = []
        for (_, damage) in Self.damages {
            var line = "\(damage):"
            for (verb, arguments) in Self.verbs {
                try copySound()
                try damage.apply(in: "\(made.path)/damaged")
                let ending = try await MeasuredProgram.reading(in: made.path, arguments)
                let what = "\(damage), \(verb)"
                #expect(ending.signal == nil, "\(what): \(ending.errors)")
                #expect(ending.residentBytesMax < MeasuredProgram.residentBytesMax, "\(what)")
                // A resumed run may have trials to run; reading alone is quick.
                #expect(verb == "resume" || ending.processorSeconds < MeasuredProgram.secondsMax, "\(what)")
                let named = ending.errors.filter { $0.contains(damage.file) || $0.contains("damaged: ") }
                #expect(ending.exitCode == 0 || !named.isEmpty, "\(what): \(ending.errors)")
                line += " \(verb) \(ending.exitCode ?? -1)"
                if ProcessInfo.processInfo.environment["SHOW_HOSTILE_RESULTS"] != nil {
                    print("\(what): \(ending.exitCode ?? -1): \(ending.errors.joined(separator: " | "))")
                }
            }
            codes.append(line)
        }
        try? FileManager.default.removeItem(atPath: "\(made.path)/damaged")
        let leftovers: Set = ["small.yaml", "sound", "page.html"]
        #expect(try leftovers.isSuperset(of: FileManager.default.contentsOfDirectory(atPath: made.path)))
        let path = "\(CommittedFiles("Results").folder)/expected.txt"
        if CommittedFiles.isUpdating {
            try codes.map { "\($0)\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(expected.count == ResultDamage.all.count)
        #expect(codes == Self.damages.map { expected[$0.offset] })
    }

    private func copySound() throws {
        let damaged = "\(made.path)/damaged"
        try? FileManager.default.removeItem(atPath: damaged)
        try FileManager.default.copyItem(atPath: "\(made.path)/sound", toPath: damaged)
    }
}

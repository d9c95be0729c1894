import Foundation
import TestTiers
import Testing
import TrialModel

/// Runs that are disturbed at a random moment. `scripts/nightly disturbed` repeats them with other seeds for a given
/// time.
@Suite(
    .timeLimit(.minutes(60)), .serialized, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ")))
struct DisturbedRunTests {
    @Test(.nightly) func `a run that is disturbed at any moment, in any way, can be resumed`() async throws {
        var stress = StressTime(part: "disturbed runs", rounds: 8)
        while let seed = stress.nextSeed() {
            var random = RandomSource(seed: seed, stream: 21)
            let run = try DisturbedRun()
            let program = try run.start()
            // The moment is the random variable here; no state is expected to be reached by then.
            try await Task.sleep(for: .milliseconds(Int64(random.next(below: 2_500))))
            let way = random.next(below: 5)
            switch way {
            case 0: program.send(signal: SIGINT)
            case 1: program.send(signal: SIGTERM)
            case 2: program.send(signal: SIGKILL)
            case 3: program.children(running: "trial").forEach { kill($0, SIGKILL) }
            default: program.children(running: "serve").forEach { kill($0, SIGKILL) }
            }
            let ending = await program.ending()
            // 2, 9 and 15: killed by the signal itself, before the program had installed its handlers.
            #expect([0, 2, 3, 9, 15, 130, 143].contains(ending.exitCode), "seed \(seed), way \(way): \(ending)")
            try await run.expectOrder()
            try await run.expectResumed()
            stress.report(cases: 1)
        }
    }
}

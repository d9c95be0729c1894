import CCrypto
import Foundation
import Measurement
import Reports
import TrialModel
import TrialRunner

extension RunDescription {
    /// What is about to run, on this machine, from this checkout.
    ///
    /// - Parameters:
    ///   - files: the scenario files.
    ///   - scenarios: the same as they are run.
    ///   - strategies: the names of those on trial.
    static func describing(
        files: [ScenarioArguments.File], scenarios: [Scenario], strategies: Set<String>, repetitions: Int?,
        seed: UInt64?, smoke: Bool
    ) async -> RunDescription {
        let checkout: Checkout? =
            if let path = try? ThisProgram.path() { await Checkout.containing(file: path) } else { nil }
        let machine = Machine.current()
        let overhead = HarnessOverhead.measure()
        return RunDescription(
            toolVersion: CacheTrialsCommand.version, buildConfiguration: machine.optimized ? "release" : "debug",
            gitCommit: checkout?.commit, gitDirty: checkout?.isDirty, commandLine: CommandLine.arguments,
            host: RunDescription.Host(
                name: machine.host, cpu: machine.processorModel ?? machine.architecture, cores: machine.coreCount,
                memoryBytes: machine.memoryBytes, kernel: machine.kernel, operatingSystem: machine.operatingSystem),
            swiftVersion: machine.swiftVersion, seed: seed,
            scenarios: zip(files, scenarios).map { file, scenario in
                RunDescription.ScenarioReference(
                    name: scenario.name, path: file.path, sha256: sha256(ofFile: file.path),
                    seed: scenario.seed, repetitions: repetitions ?? scenario.repetitions,
                    traceSHA256: scenario.keys.trace.map { sha256(ofFile: $0.path) })
            },
            strategies: StrategyRegistry.builtIn.names.filter(strategies.contains), repetitions: repetitions,
            smoke: smoke,
            overhead: RunDescription.Overhead(
                clockNanoseconds: overhead.clockReadNanoseconds, recordNanoseconds: overhead.recordNanoseconds),
            loadBefore: machine.loadAverage, start: .now)
    }

    /// Notes what disturbed the machine since a reading.
    mutating func noteNoise(since before: NoiseReading) {
        let meanwhile = MachineNoise(from: before, to: .current())
        noise = Noise(
            stealShare: meanwhile.stealShare, involuntarySwitches: meanwhile.involuntarySwitches,
            megahertzLowest: meanwhile.megahertz?.lowerBound, megahertzHighest: meanwhile.megahertz?.upperBound,
            warnings: meanwhile.warnings(coreCount: host.cores))
    }

    private static func sha256(ofFile path: String) -> String {
        // Mapped: a trace may be larger than the memory.
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) else { return "" }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        data.withUnsafeBytes { bytes in
            _ = SHA256(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &digest)
        }
        return digest.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}

package import Reports
package import TrialModel

/// A difference that prevents the comparison of two runs, unless it is allowed.
package struct RunDifference: Hashable, Sendable {
    /// The kinds of differences that can be allowed.
    package enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
        case machine, build, scenario, seed, version
    }

    package var kind: Kind
    /// The difference, with the values of both sides.
    package var text: String
    /// The scenario that differs; `nil` for a difference of the whole run.
    package var scenario: ScenarioPoint?

    /// All relevant differences, the machine first. The commit may differ, because the comparison is between commits.
    package static func all(_ baseline: RunDescription, _ candidate: RunDescription) -> [RunDifference] {
        machine(baseline.host, candidate.host) + build(baseline, candidate) + scenarios(baseline, candidate)
            + version(baseline, candidate)
    }

    private static func machine(_ first: RunDescription.Host, _ second: RunDescription.Host) -> [RunDifference] {
        [
            unlike("processor", first.cpu, second.cpu, .machine),
            unlike("cores", "\(first.cores)", "\(second.cores)", .machine),
            unlike(
                "memory", first.memoryBytes.map(Quantity.bytes) ?? "unknown",
                second.memoryBytes.map(Quantity.bytes) ?? "unknown", .machine),
            unlike("kernel", first.kernel, second.kernel, .machine),
            unlike("operating system", first.operatingSystem, second.operatingSystem, .machine),
        ].compactMap(\.self)
    }

    private static func build(_ first: RunDescription, _ second: RunDescription) -> [RunDifference] {
        [
            unlike("build", first.buildConfiguration, second.buildConfiguration, .build),
            unlike("compiler", first.swiftVersion, second.swiftVersion, .build),
            unlike("allocator", first.allocator ?? "unknown", second.allocator ?? "unknown", .build),
        ].compactMap(\.self)
    }

    private static func scenarios(_ first: RunDescription, _ second: RunDescription) -> [RunDifference] {
        var differences = [
            unlike("smoke size", first.smoke ? "yes" : "no", second.smoke ? "yes" : "no", .scenario),
            // Records make every operation slower.
            unlike(
                "check of promises", first.check == true ? "yes" : "no", second.check == true ? "yes" : "no", .scenario),
        ].compactMap(\.self)
        for scenario in second.scenarios {
            guard let other = first.scenarios.first(where: { $0.name == scenario.name }) else { continue }
            if other.sha256 != scenario.sha256 {
                differences.append(
                    RunDifference(kind: .scenario, text: "\(scenario.name): the scenario file has changed"))
            }
            if other.traceSha256 != scenario.traceSha256 {
                differences.append(RunDifference(kind: .scenario, text: "\(scenario.name): the trace has changed"))
            }
            let seeds = unlike("\(scenario.name): seed", "\(other.seed)", "\(scenario.seed)", .seed)
            differences += [seeds].compactMap { difference in
                var difference = difference
                difference?.scenario = scenario.name
                return difference
            }
        }
        return differences
    }

    private static func version(_ first: RunDescription, _ second: RunDescription) -> [RunDifference] {
        [
            unlike("version of cache-trials", first.toolVersion, second.toolVersion, .version),
            unlike("version of the files", "\(first.schemaVersion)", "\(second.schemaVersion)", .version),
        ].compactMap(\.self)
    }

    private static func unlike(_ what: String, _ first: String, _ second: String, _ kind: Kind) -> RunDifference? {
        first == second
            ? nil : RunDifference(kind: kind, text: "\(what): \(first) in the baseline, \(second) in the candidate")
    }
}

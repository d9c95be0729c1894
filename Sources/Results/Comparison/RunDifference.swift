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
        surroundings(baseline, candidate) + scenarios(baseline, candidate) + version(baseline, candidate)
    }

    /// The differences of machine and build, the machine first.
    ///
    /// - Parameter sides: what is said of the first and of the second value.
    package static func surroundings(
        _ first: RunDescription, _ second: RunDescription, sides: Sides = comparing
    ) -> [RunDifference] {
        func memory(_ run: RunDescription) -> String { run.host.memoryBytes.map(Quantity.bytes) ?? "unknown" }
        return [
            unlike("processor", first.host.cpu, second.host.cpu, .machine, sides),
            unlike("cores", "\(first.host.cores)", "\(second.host.cores)", .machine, sides),
            unlike("memory", memory(first), memory(second), .machine, sides),
            unlike("kernel", first.host.kernel, second.host.kernel, .machine, sides),
            unlike("operating system", first.host.operatingSystem, second.host.operatingSystem, .machine, sides),
            unlike("build", first.buildConfiguration, second.buildConfiguration, .build, sides),
            unlike("compiler", first.swiftVersion, second.swiftVersion, .build, sides),
            unlike("allocator", first.allocator ?? "unknown", second.allocator ?? "unknown", .build, sides),
        ].compactMap(\.self)
    }

    /// What is said of the values of the two sides.
    package typealias Sides = (first: String, second: String)

    private static let comparing: Sides = (" in the baseline", " in the candidate")

    private static func scenarios(_ first: RunDescription, _ second: RunDescription) -> [RunDifference] {
        var differences = [
            unlike("smoke size", first.smoke ? "yes" : "no", second.smoke ? "yes" : "no", .scenario),
            // Phases are cut to count their instructions.
            unlike(
                "instructions counted in place of time", first.counted == true ? "yes" : "no",
                second.counted == true ? "yes" : "no", .scenario),
            // Records make every operation slower.
            unlike(
                "check of guarantees", first.check == true ? "yes" : "no", second.check == true ? "yes" : "no",
                .scenario),
        ].compactMap(\.self)
        for scenario in second.scenarios {
            guard let other = first.scenarios.first(where: { $0.name == scenario.name }) else { continue }
            if other.sha256 != scenario.sha256 {
                differences.append(
                    RunDifference(
                        kind: .scenario, text: "\(scenario.name): the scenario file has changed",
                        scenario: scenario.name))
            }
            if other.traceSha256 != scenario.traceSha256 {
                differences.append(
                    RunDifference(
                        kind: .scenario, text: "\(scenario.name): the trace has changed", scenario: scenario.name))
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

    private static func unlike(
        _ what: String, _ first: String, _ second: String, _ kind: Kind,
        _ sides: Sides = comparing
    ) -> RunDifference? {
        first == second
            ? nil : RunDifference(kind: kind, text: "\(what): \(first)\(sides.first), \(second)\(sides.second)")
    }
}

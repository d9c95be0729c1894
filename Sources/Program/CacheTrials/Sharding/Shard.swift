import ArgumentParser
import Foundation
import Reports
import TrialModel

/// Which part of its work a machine does, as `2/4`: of the same files and options, every machine makes the same plan.
struct Shard: Hashable, Sendable {
    /// The most parts of a plan.
    static let countMax = 10_000

    /// From 1.
    let number: Int
    let count: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]) else { return nil }
        self.init(number: number, count: count)
    }

    /// - Returns: `nil` when there is no such part.
    init?(number: Int, count: Int) {
        guard (1...Self.countMax).contains(count), (1...count).contains(number) else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// Reads `2/4`, or takes the part that a cluster or a pipeline gives to this job.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String, in environment: [String: String]) throws -> Shard {
        if text == "auto" { return try JobSystem.shard(in: environment) }
        guard let shard = Shard(argument: text) else {
            throw ValidationError(
                "write the part and the number of parts, at most \(countMax), such as 2/4; or 'auto'.")
        }
        return shard
    }

    /// Takes this shard's part of the work, and describes it for `merge`.
    ///
    /// - Parameters:
    ///   - work: in the order in which one machine would do it.
    ///   - digests: what all parts must agree on besides the work: digests of files, and options.
    ///   - unit: what must be done on one machine: two pieces with the same text are.
    ///   - seconds: how long a piece is expected to take.
    /// - Throws: ``Refusal`` when there are more shards than units.
    func part(
        of work: [TrialIdentity], digests: [String], unit: (TrialIdentity) -> String,
        seconds: (TrialIdentity) -> Double
    ) throws(Refusal) -> RunDescription.Shard {
        try described(try positions(of: work, unit: unit, seconds: seconds)[number - 1], of: work, digests: digests)
    }

    /// Takes all of the work, of which each shard does its ``range(of:)``.
    ///
    /// - Parameters:
    ///   - work: in the order in which one machine would do it.
    ///   - digests: what all shards must agree on besides the work.
    /// - Throws: ``Refusal`` when no checksum can be made.
    func share(of work: [TrialIdentity], digests: [String]) throws(Refusal) -> RunDescription.Shard {
        try described(Array(work.indices), of: work, digests: digests)
    }

    /// The places of this shard among so many in a row. Every place is in one shard, and the sizes differ by one at most.
    func range(of places: Int) -> Range<Int> { places * (number - 1) / count..<places * number / count }

    private func described(
        _ own: [Int], of work: [TrialIdentity], digests: [String]
    ) throws(Refusal) -> RunDescription.Shard {
        let lines =
            digests + ["\(count)"]
            + work.map { "\($0.scenario)\u{0}\($0.strategy)\u{0}\($0.repetition)" }
        guard let digest = FileDigest.sha256(ofText: lines.joined(separator: "\n")) else {
            throw Refusal("no checksum can be made: out of memory", .harnessTrouble)
        }
        return RunDescription.Shard(
            plan: String(digest.prefix(16)), number: number, count: count,
            trials: own.map { RunDescription.Shard.Trial(position: $0, work[$0]) })
    }

    /// The positions in the work that each shard does, in order.
    ///
    /// - Parameters:
    ///   - work: in the order in which one machine would do it.
    ///   - unit: what must be done on one machine: two pieces with the same text are.
    ///   - seconds: how long a piece is expected to take.
    /// - Throws: ``Refusal`` when there are more shards than units.
    func positions(
        of work: [TrialIdentity], unit: (TrialIdentity) -> String, seconds: (TrialIdentity) -> Double
    ) throws(Refusal) -> [[Int]] {
        var units: [[Int]] = []
        var places: [String: Int] = [:]
        for (position, identity) in work.enumerated() {
            let place = places[unit(identity), default: units.count]
            if place == units.count {
                units.append([])
                places[unit(identity)] = place
            }
            units[place].append(position)
        }
        guard count <= units.count else {
            throw Refusal(
                "'--shard \(number)/\(count)': the work has \(units.count) parts, such as '\(units.first.map { unit(work[$0[0]]) } ?? "")', "
                    + "so at most \(units.count) machines can share it", .usage)
        }
        let costs = units.map { $0.reduce(0) { $0 + seconds(work[$1]) } }
        let assigned = Self.assign(costs, to: count)
        var positions = [[Int]](repeating: [], count: count)
        for (unit, shard) in zip(units, assigned) { positions[shard] += unit }
        return positions.map { $0.sorted() }
    }

    /// The shard of each piece: the most expensive piece first, each to the shard with the least so far, the first of
    /// equals.
    ///
    /// No shard gets more than 4/3 of what the best assignment needs (R. L. Graham: Bounds on Multiprocessing Timing
    /// Anomalies, SIAM Journal on Applied Mathematics 17(2), 1969). Every shard gets a piece when there are as many.
    /// O(pieces × shards).
    static func assign(_ costs: [Double], to shards: Int) -> [Int] {
        var loads = [(cost: Double, pieces: Int)](repeating: (0, 0), count: max(1, shards))
        var assigned = [Int](repeating: 0, count: costs.count)
        let order = costs.indices.sorted { (-costs[$0], $0) < (-costs[$1], $1) }
        for piece in order {
            // Pieces that cost nothing are spread as well.
            let shard =
                loads.indices.min { (loads[$0].cost, loads[$0].pieces, $0) < (loads[$1].cost, loads[$1].pieces, $1) }
                ?? 0
            assigned[piece] = shard
            loads[shard].cost += costs[piece]
            loads[shard].pieces += 1
        }
        return assigned
    }
}

/// The option `--shard`.
struct ShardArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run one part of the work; 2/4 is the second of four. All machines have the same files and options; 'merge' joins their results. 'auto' takes the part from the variables of \(JobSystem.all.map(\.name).joined(separator: ", ")).",
            valueName: "part/parts"),
        completion: .list(["auto"]),
        transform: { try Shard.parse($0, in: ProcessInfo.processInfo.environment) })
    var shard: Shard?

    /// Refuses a shard without a folder that `merge` finds.
    func check(_ output: OutputArguments) throws {
        guard shard != nil, output.output == nil else { return }
        throw ValidationError("'--shard' needs a folder that 'merge' finds: add '--output FOLDER'.")
    }
}

extension RunDescription.Shard {
    /// The name of the shard in messages, as `2/4`.
    var label: String { "\(number)/\(count)" }

    /// Findings about caches don't fail a shard: `merge` judges all of them together.
    static func exitCode(_ code: TrialExitCode, isShard: Bool) -> TrialExitCode {
        guard isShard, [.gateFailed, .strategyFailed, .dataRace].contains(code) else { return code }
        StandardError.write("A shard ends with 0 whatever it found; 'merge' judges all of them together.")
        return .passed
    }
}

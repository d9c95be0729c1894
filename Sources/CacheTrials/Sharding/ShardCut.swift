import TrialModel

/// The trials of a run, cut into shards.
///
/// All strategies of one scenario in one repetition are a unit. They run on one machine, one after the other, in the
/// order of a single run, so that differences between strategies are never differences between machines. Units are cut
/// only when there are more shards than units, which ``isSplit`` says.
struct ShardCut: Sendable {
    /// A trial or search, and what it is expected to cost.
    struct Work: Sendable {
        var identity: TrialIdentity
        var seconds: Double
    }

    /// The places of the trials of each shard, ascending.
    let parts: [[Int]]
    /// The longest time that each shard is expected to take, in seconds.
    let seconds: [Double]
    /// Whether strategies of one scenario and repetition are in different shards.
    let isSplit: Bool

    /// - Parameters:
    ///   - work: in the order of a single run.
    ///   - shards: how many parts to make.
    /// - Throws: ``ShardError`` when there are more parts than trials.
    init(_ work: [Work], shards: Int) throws(ShardError) {
        guard shards >= 1, shards <= work.count else {
            throw ShardError(
                "'--shards \(shards)': there are \(work.count) trials, so a number from 1 to \(work.count) is allowed.",
                .usage)
        }
        var units: [[Int]] = []
        var places: [Unit: Int] = [:]
        for (position, item) in work.enumerated() {
            let unit = Unit(scenario: item.identity.scenario, repetition: item.identity.repetition)
            if let place = places[unit] {
                units[place].append(position)
            } else {
                places[unit] = units.count
                units.append([position])
            }
        }
        isSplit = shards > units.count
        let pieces = isSplit ? work.indices.map { [$0] } : units
        let costs = pieces.map { piece in piece.reduce(0) { $0 + work[$1].seconds } }
        let assigned = Balance.assign(costs, to: shards)
        var parts = [[Int]](repeating: [], count: shards)
        var totals = [Double](repeating: 0, count: shards)
        for (piece, shard) in assigned.enumerated() {
            parts[shard] += pieces[piece]
            totals[shard] += costs[piece]
        }
        self.parts = parts.map { $0.sorted() }
        seconds = totals
    }

    private struct Unit: Hashable {
        var scenario: ScenarioPoint
        var repetition: Int
    }
}

/// Costs spread over shards.
enum Balance {
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

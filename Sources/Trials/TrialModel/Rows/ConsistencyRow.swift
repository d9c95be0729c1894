/// Whether a strategy kept a promise.
package enum ConsistencyVerdict: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// No violation of the promise was observed.
    case consistent
    /// At least one violation was observed.
    case inconsistent
    /// The recorded history does not decide it.
    case unknown
}

/// A promise that a strategy may make, and what is checked. `consistency.csv` shows the raw values.
package enum Promise: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// A caller finds what it puts in, and does not find what it removes; a load hits what is held, and else fetches.
    case contents
    /// A value belongs to the requested key, was written or fetched for this key, and is complete.
    case ownValues = "own-values"
    /// A read sees the newest value: the history is linearizable, so one order of the operations, each between its call
    /// and its answer, explains all results.
    case freshness
    /// A load does not reinstate a value that was fetched before a newer write or a removal, and does not give it to a
    /// load that begins after the change.
    case newerWritesWin = "newer-writes-win"
    /// A load never gives its caller a value older than the caller's own last change.
    case ownPast = "own-past"
    /// A key that was missing or removed is not found again.
    case noResurrection = "no-resurrection"
    /// A caller that modifies its value does not change the value of any other caller.
    case isolatedValues = "isolated-values"
    /// Lookups, hits, misses, loads and failures add up, and the strategy's own figures agree.
    case counts
    /// The cache never exceeds its limits.
    case limits
    /// A full cache takes new entries.
    case admission
    /// An entry that fits stays until it is removed or its lifetime is over.
    case retention
    /// Costs of any size are counted correctly: zero, the limit itself, and sums that overflow an integer.
    case costs
    /// Callers that miss together share one fetch: the origin never sees two for one key at once.
    case singleFlight = "single-flight"
    /// Every caller gets an answer.
    case noLostCaller = "no-lost-caller"
    /// A load that has ended leaves nothing behind.
    case noLeakedLoad = "no-leaked-load"
    /// Removed entries, and a dropped cache, no longer occupy memory.
    case noLeaks = "no-leaks"
    /// An error reaches exactly the callers that waited for the failed load, and no later caller.
    case errors
    /// Cancelling one caller does not disturb any other caller.
    case cancellation
    /// An entry lives exactly its lifetime, by the clock that the strategy was given.
    case lifetimes
    /// Entries that the strategy keeps in files are found again.
    case durability
    /// Memory is given back at once when the machine is short of it.
    case memoryPressure = "memory-pressure"
    /// A prefetch fetches once, at low priority, and disturbs no caller.
    case prefetching
}

/// A row of `consistency.csv`: the verdict on one promise of a strategy.
package struct ConsistencyRow: ResultRow, Hashable {
    package static let file = "consistency.csv"
    package static let keyColumnCount = 4

    package var trial = TrialIdentity()
    package var promise = Promise.ownValues
    package var verdict = ConsistencyVerdict.unknown
    package var operationsChecked: UInt64 = 0
    package var violations: UInt64 = 0
    /// One line.
    package var example = ""
    package var operationsExcused: UInt64 = 0

    package init() {}

    package static let columns: [Column<ConsistencyRow>] =
        [
            Column("scenario", "The scenario's name.", \.trial.scenario.name).repeating(),
            Column("strategy", "The strategy's name.", \.trial.strategy).repeating(),
            Column("repetition", "Which repetition of the trial, from 1.", \.trial.repetition).repeating(),
            Column("promise", "The guarantee: one of the words in `Guarantees.md`.", \.promise).repeating(),
            Column(
                "verdict", "`consistent`, `inconsistent`, or `unknown` when inconclusive; `example` says why.",
                \.verdict
            ).repeating(),
            Column(
                "operations_checked",
                "Operations, requests or facts that could have shown the guarantee violated; for `admission`, new entries "
                    + "offered to a full cache.", \.operationsChecked),
            Column(
                "violations",
                "How many of them violated the guarantee; for `admission`, the refused entries, even where admission is not guaranteed.",
                \.violations),
            Column(
                "example", "The smallest example of a violation, or what the verdict rests on; may be empty.", \.example
            ),
            Column(
                "operations_excused",
                "Operations that look like a violation and that something else may explain; for `retention`, lookups that "
                    + "found nothing where the entry may have been evicted, removed or about to be replaced.",
                \.operationsExcused),
        ] + Column.swept(\.trial.scenario).repeating()
}

import Reports
import TrialModel

/// Rows that tests of several files use.
enum Samples {
    /// The columns of a sweep, at the end of a header.
    static let sweptHeader =
        ",sweep_clients,sweep_capacity,sweep_zipf,sweep_write_share,sweep_value_size,sweep_origin_delay_ns,sweep_rate,"
        + "sweep_keys\r\n"
    /// The same cells of a row without a sweep.
    static let sweptCells = ",,,,,,,,\r\n"

    static func key(
        _ scenario: ScenarioPoint = "steady", _ strategy: String = "lru", _ repetition: Int = 1,
        _ phase: String = "main"
    ) -> RowKey {
        RowKey(
            trial: TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition), phase: phase)
    }

    static func latency(
        _ key: RowKey, pool: Selection<String> = .all, operation: Selection<OperationKind> = .only(.load),
        outcome: Selection<Outcome> = .all, tier: Selection<HitTier> = .all, p50: UInt64 = 1_000, p99: UInt64 = 20_000,
        count: UInt64 = 1_000
    ) -> LatencyRow {
        LatencyRow(
            key: key, labels: LatencyLabels(pool: pool, operation: operation, outcome: outcome, tier: tier),
            count: count, throughputPerSecond: 12_345.678,
            latency: LatencySummary(
                min: 100, mean: 1_500, p50: p50, p90: p50, p95: p50, p99: p99, p99_9: p99, p99_99: p99, max: p99))
    }

    /// A phase that completed: 1,000 lookups in a second.
    static func phase(
        _ key: RowKey = key(), hits: UInt64 = 900, origin: UInt64? = 100, duplicates: UInt64? = 0,
        p50: UInt64 = 1_000, p99: UInt64 = 20_000, elapsed: UInt64 = 1_000_000_000, driver: Driver = .threads
    ) -> PhaseResult {
        PhaseResult(
            trial: TrialRow(
                key: key, driver: driver, status: .completed, operations: 1_000, elapsedNanoseconds: elapsed,
                wrongAnswers: 0),
            latency: [latency(key, p50: p50, p99: p99), latency(key, operation: .all, p50: 1, p99: 2)],
            hitRate: HitRateRow(
                key: key, capacity: Capacity(entries: 500, bytes: nil), lookups: 1_000, hits: hits, misses: 1_000 - hits
            ).with {
                ($0.bytesLookedUp, $0.bytesHit, $0.optimalHitRatio, $0.evictions) = (3_000, 1_000, 0.95, 40)
                ($0.originLoads, $0.duplicateLoads) = (origin, duplicates)
            },
            memory: MemoryRow(key: key).with {
                ($0.allocatedBytesBefore, $0.allocatedBytesAfter) = (1_000, 9_000)
                ($0.allocationsPerOperation, $0.bytesPerEntry) = (0.25, 123.4567)
            }
        )
    }

    /// A phase with every kind of rows.
    static func everything(_ strategy: String = "lru", _ repetition: Int = 1) -> PhaseResult {
        var result = phase(key("steady", strategy, repetition), driver: .main)
        let key = result.trial.key
        for index in result.latency.indices { result.latency[index].throughputPerSecond = 12_345.678 }
        result.memory?.bytesPerEntry = 123.457
        for pool in ["hot", "scan"] {
            result.latency.append(latency(key, pool: .only(pool)))
            result.hitRates.append(
                HitRateRow(
                    key: key, pool: .only(pool), capacity: Capacity(entries: 500), lookups: 500, hits: 450, misses: 50))
        }
        for tier in [HitTier.memory, .disk] {
            result.latency.append(latency(key, outcome: .only(.hit), tier: .only(tier)))
            result.hitRates.append(
                HitRateRow(key: key, capacity: Capacity(entries: 500), lookups: 1_000, hits: 450, misses: 550).with {
                    $0.tier = .only(tier)
                })
        }
        result.timeline = ([0, 1_000] as [UInt64]).map { start in
            TimelineRow(key: key).with { ($0.elapsedMilliseconds, $0.operation, $0.count) = (start, .all, 500) }
        }
        result.slices = ([1, 2] as [UInt64]).map { number in
            SliceRow(key: key).with {
                ($0.slice, $0.operations, $0.throughputPerSecond) = (number, 1_000 * number, 12_345.678)
                ($0.p50Nanoseconds, $0.lookups, $0.hits) = (101.25, 800, 300)
            }
        }
        result.functions = [
            FunctionRow(key: key).with { ($0.function, $0.instructionsPerOperation, $0.share) = ("find", 12.5, 0.25) }
        ]
        result.frames = frames(key)
        result.frameTimes = [
            FrameTimeRow(key: key).with {
                ($0.frame, $0.scroll, $0.heldNanoseconds, $0.missed, $0.blame) = (1, "still", 20_000_000, 1, .cache)
            },
            FrameTimeRow(key: key).with {
                ($0.frame, $0.scroll, $0.row, $0.cells, $0.shownAtOnce) = (3, "fling", 4, 4, 1)
            },
        ]
        result.pressure = pressure(key)
        result.invalidation = invalidation(key)
        result.prefetch = prefetch(key)
        result.stages = [Stage.beforeFetch, .fetch, .decode, .afterDecode].map { stage in
            StageRow(key: key).with {
                ($0.operation, $0.outcome, $0.stage, $0.count) = (.load, .miss, stage, 10)
                $0.totalNanoseconds = 500
                $0.latency = LatencySummary(min: 10, mean: 50, p50: 40, p99: 90, max: 99)
            }
        }
        return result
    }

    /// 100 frames of a list.
    static func frames(_ key: RowKey, missed: UInt64 = 2) -> FramesRow {
        FramesRow(key: key).with {
            ($0.frames, $0.overBudget, $0.missed, $0.machineFrames) = (100, 3, missed, 20)
            ($0.heldP50, $0.heldP99, $0.heldMax) = (1_000, 2_000, 20_000_000)
            ($0.cells, $0.shownAtOnce, $0.shownLater) = (40, 10, 20)
            ($0.timeToPictureP50, $0.timeToPictureP99) = (30_000_000, 90_000_000)
            ($0.abandonedLoads, $0.lateAnswers) = (7, 3)
        }
    }

    static func pressure(_ key: RowKey, given: UInt64 = 600) -> PressureRow {
        PressureRow(key: key).with {
            ($0.level, $0.responds, $0.responseNanoseconds) = (.warning, true, 1_500)
            ($0.entriesBefore, $0.entriesGivenBack, $0.entriesGivenBackAtEnd) = (100, 60, 0)
            ($0.bytesBefore, $0.bytesGivenBack, $0.bytesGivenBackAtEnd) = (1_000, given, 0)
            ($0.allocatedBytesBefore, $0.allocatedBytesAfter) = (9_000, 8_500)
            ($0.hitRatioBefore, $0.hitRatioAfter, $0.operationsToRecovery) = (0.9, 0.5, 1_234)
            ($0.loadsInFlight, $0.loadsSurvived, $0.loadsFailed) = (3, 3, 0)
        }
    }

    static func invalidation(_ key: RowKey, stale: UInt64 = 12) -> InvalidationRow {
        InvalidationRow(key: key).with {
            ($0.events, $0.keysRemoved, $0.eventNanoseconds) = (3, 900, 250_000)
            ($0.hitRatioBefore, $0.hitRatioAfter) = (0.9, 0.6)
            ($0.recoveryNanoseconds, $0.eventsRecovered) = (40_000_000, 2)
            ($0.loadsInFlight, $0.staleAnswers, $0.staleKeys) = (5, stale, 2)
        }
    }

    static func prefetch(_ key: RowKey, used: UInt64 = 60) -> PrefetchRow {
        var ends = PrefetchEnds()
        (ends.used, ends.joined, ends.overtaken, ends.evicted, ends.unused) = (used, 20, 5, 5, 10)
        (ends.wastedBytes, ends.late) = (2_048, 4)
        return PrefetchRow(key: key).with {
            ($0.isOwn, $0.calls, $0.keysNamed, $0.requests) = (key.strategy == "disk", 20, 200, 110)
            ($0.cancelled, $0.failed) = (10, 0)
            ($0.visibleAgain, $0.visibleLost) = (13, 2)
            $0.note(ends)
        }
    }

    /// A phase of a trial that failed.
    static func failure(_ key: RowKey, _ status: TrialStatus, _ reason: String) -> PhaseResult {
        PhaseResult(trial: TrialRow(key: key, driver: nil, status: status, reason: reason))
    }
}

extension Table {
    /// The cell of a strategy in a column.
    func cell(_ strategy: String, _ name: String) -> TableCell? {
        let names = columns.map(\.name)
        guard let key = columns.firstIndex(where: \.isOfStrategies), let column = names.firstIndex(of: name) else {
            return nil
        }
        return rows.first { $0[key].value == .text(strategy) }?[column]
    }
}

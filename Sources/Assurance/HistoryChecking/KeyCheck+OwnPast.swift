import TrialModel

// Loads that return a value from before the caller's own last change.

extension KeyCheck {
    /// Judges ``Promise/ownPast``. O(operations), plus O(log n) for each load that is judged.
    ///
    /// After a caller has written or removed a key, or all keys, its load must not return a value that was requested
    /// before that change, nor one whose write had returned before it. Hits belong to ``Promise/freshness`` and
    /// ``Promise/newerWritesWin``; a load that joins another one gets its value without a lookup.
    mutating func judgeOwnPast(key rank: Int) {
        guard events.loads.contains(where: { $0.outcome == .joined || $0.outcome == .miss }) else { return }
        var session = Session()
        for reference in index.operations(ofKey: rank) {
            session.advance(to: reference, ownClears)
            let operation = writer.operation(reference)
            guard operation.isAnswered else { continue }
            switch (operation.kind, operation.outcome) {
            case (.write, .done), (.remove, .done): session.change(reference)
            case (.load, .joined), (.burst, .joined), (.load, .miss), (.burst, .miss):
                guard let change = session.lastChange else { continue }
                tallies.ownPast.checked += 1
                guard let zone = zone(ofVersion: operation.version), let age = zone.age,
                    age < writer.operation(change).call
                else { continue }
                noteOldLoad(operation, [zone.source, zone.insertion, change, reference])
            default: break
            }
        }
    }

    private mutating func noteOldLoad(_ operation: OperationRecord, _ references: [EventReference?]) {
        tallies.ownPast.violate(eventCount: 3) { [writer, key] in
            writer.example(
                "a load returned version \(writer.number(operation.version, key)) of key \(key), which is older than its own last change",
                references)
        }
    }

    /// The zone of a version; `nil` where it was neither written nor sent. O(log n).
    func zone(ofVersion version: UInt64) -> VersionZone? {
        let index = zones.partitioningIndex { $0.version >= version }
        return index < zones.count && zones[index].version == version ? zones[index] : nil
    }
}

extension VersionZone {
    /// The moment from which the value dates: its request, or the end of its write; `nil` where it isn't known.
    fileprivate var age: UInt64? { isWritten ? (isCompletedWrite ? insertEnd : nil) : requestStart }
}

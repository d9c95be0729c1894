import TrialModel

// Loads that give a caller what it has changed since.

extension KeyCheck {
    /// Judges ``Promise/ownPast``. O(operations, and log n for each load that is judged).
    ///
    /// A caller that has written or removed a key, or all keys, does not get a value from a load that was requested before
    /// that, nor one whose write had returned before it. Hits are a matter of ``Promise/freshness`` and
    /// ``Promise/newerWritesWin``; a load that joins another one has its value from nowhere that a lookup would see.
    mutating func judgeOwnPast(key rank: Int) {
        guard events.loads.contains(where: { $0.outcome == .joined || $0.outcome == .miss }) else { return }
        var session = Session()
        for reference in index.operations(ofKey: rank) {
            if reference.caller != session.caller {
                session = Session(caller: reference.caller, clears: ownClears[reference.caller] ?? [])
            }
            let operation = writer.operation(reference)
            session.passClears(before: reference.position)
            guard operation.isAnswered else { continue }
            switch (operation.kind, operation.outcome) {
            case (.write, .done), (.remove, .done): session.change(reference)
            case (.load, .joined), (.burst, .joined), (.load, .miss), (.burst, .miss):
                guard let change = session.lastChange else { continue }
                tallies.ownPast.checked += 1
                guard let zone = zone(ofVersion: operation.version), let age = zone.age,
                    age < writer.operation(change).call
                else { continue }
                noteOldLoad(operation, [zone.source, change, reference])
            default: break
            }
        }
    }

    private mutating func noteOldLoad(_ operation: OperationRecord, _ references: [EventReference?]) {
        tallies.ownPast.violate(eventCount: 3) { [writer, key] in
            writer.example(
                "a load gave its caller version \(operation.version) of key \(key), which is older than its own last change",
                references)
        }
    }

    /// What is known of a version; `nil` where nobody wrote or sent it. O(log n).
    func zone(ofVersion version: UInt64) -> VersionZone? {
        var low = 0
        var high = zones.count
        while low < high {
            let middle = (low + high) / 2
            if zones[middle].version < version { low = middle + 1 } else { high = middle }
        }
        return low < zones.count && zones[low].version == version ? zones[low] : nil
    }
}

extension VersionZone {
    /// The moment that the value is from: its request's, or the end of its write; `nil` where that isn't known.
    fileprivate var age: UInt64? { isWritten ? (isCompletedWrite ? insertEnd : nil) : requestStart }
}

import CacheStrategies
import TrialModel

// A caller's view of its own writes, for strategies that promise only read-your-writes.

extension KeyCheck {
    /// Judges ``Promise/freshness`` of a strategy whose callers see their own writes at once, and other callers'
    /// writes later.
    ///
    /// Once a caller has written or removed a key, or has removed all keys, it must not see again a version that it
    /// had written, fetched or seen before. Versions that it had not seen are not judged: another caller's write may
    /// become visible at any time. O(operations).
    mutating func judgeOwnWrites(key rank: Int) {
        var session = Session()
        for reference in index.operations(ofKey: rank) {
            session.advance(to: reference, ownClears)
            let operation = writer.operation(reference)
            guard operation.isAnswered else { continue }
            switch (operation.kind, operation.outcome) {
            case (.write, .done):
                session.change(reference)
                session.note(operation.version, reference)
            case (.remove, .done):
                session.change(reference)
            case (.read, .hit), (.load, .hit), (.burst, .hit):
                if promises.lookupsJoinLoads, let zone = zone(ofVersion: operation.version), zone.requestStart != nil,
                    operation.call <= zone.insertEnd
                {
                    break
                }
                if session.changes > 0 { tallies.freshness.checked += 1 }
                if let before = session.lastSeenBeforeChange(operation.version) {
                    noteOldVersion(operation, [before, session.lastChange, reference])
                } else {
                    session.note(operation.version, reference)
                }
            case (.load, .miss), (.burst, .miss):
                session.note(operation.version, reference)
            default: break
            }
        }
    }

    private mutating func noteOldVersion(_ operation: OperationRecord, _ references: [EventReference?]) {
        tallies.freshness.violate(eventCount: 3) { [writer, key] in
            writer.example(
                "a caller saw version \(writer.number(operation.version, key)) of key \(key) again after its own later write or removal",
                references)
        }
    }
}

/// What one caller did to one key, and the versions that it saw.
struct Session {
    private var caller = -1
    /// The caller's removals of all keys, in the order of its operations.
    private var clears: ArraySlice<EventReference> = []
    /// The number of changes that the caller has made to the key so far, and the last of them.
    private(set) var changes = 0
    private(set) var lastChange: EventReference?
    private var seen: [UInt64: (changes: Int, reference: EventReference)] = [:]

    /// Moves on to an operation: to its caller, whose session begins anew, and past the caller's earlier removals of
    /// all keys.
    mutating func advance(to reference: EventReference, _ ownClears: [Int: [EventReference]]) {
        if reference.caller != caller {
            self = Session()
            (caller, clears) = (reference.caller, ownClears[reference.caller, default: []][...])
        }
        while let clear = clears.first, clear.position < reference.position {
            change(clear)
            clears.removeFirst()
        }
    }

    mutating func change(_ reference: EventReference) {
        changes += 1
        lastChange = reference
    }

    mutating func note(_ version: UInt64, _ reference: EventReference) {
        if seen[version] == nil { seen[version] = (changes, reference) }
    }

    /// The event in which the caller first saw a version before its last change; `nil` if it had not.
    func lastSeenBeforeChange(_ version: UInt64) -> EventReference? {
        guard let found = seen[version], found.changes < changes else { return nil }
        return found.reference
    }
}

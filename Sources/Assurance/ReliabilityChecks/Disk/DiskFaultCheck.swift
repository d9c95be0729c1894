import CacheStrategies
import Foundation
import Platform

/// The n-th call on the folder fails, for every n until the operation makes fewer calls; SQLite tests I/O errors in
/// this way. The operation reports an error or takes effect, other entries stay, and the next operation works.
package struct DiskFaultCheck: Sendable {
    /// The check's name.
    package static let name = "disk-faults"

    /// A kind of failure and its duration.
    struct Fault: Sendable {
        let name: String
        let failure: FaultyFileLayer.Failure
        let isPersistent: Bool

        /// Whether the operation may fail because of it; a short write is not a failure.
        var isRefusal: Bool { failure != .shortWrite }
    }

    static let faults: [Fault] = [
        ("EIO", FaultyFileLayer.Failure.error(SystemErrors.ioFailure)), ("ENOSPC", .error(SystemErrors.noSpace)),
        ("EMFILE", .error(SystemErrors.tooManyOpen)), ("EACCES", .error(SystemErrors.accessDenied)),
        ("EINTR", .error(SystemErrors.interrupted)), ("short write", .shortWrite),
    ].flatMap { name, failure in
        [false, true].map { Fault(name: name, failure: failure, isPersistent: $0) }
    }

    enum Operation: String, CaseIterable { case put, replace, get, remove, evict, open, reopen }

    private let keeper: FileKeeper
    private let seed: UInt64
    private static let costLimit = 4_000

    package init(_ keeper: FileKeeper, seed: UInt64) {
        self.keeper = keeper
        self.seed = seed
    }

    /// Runs all cases, each in a folder of its own. A sample takes other calls with each operation and fault.
    package func run(_ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
        var tally = CheckTally(Self.name, of: keeper, seed: seed)
        guard keeper.takesLayer else {
            tally.skipped = "its calls on the folder can't be made to fail; real-disk-faults tests them from outside"
            return tally
        }
        for (place, operation) in Operation.allCases.enumerated() {
            for (turn, fault) in Self.faults.enumerated() {
                var call = (place + turn) % budget.stride + 1 - budget.stride
                var isReached = true
                while isReached, budget.allows(tally) {
                    call += budget.stride
                    let found = try await run(operation, fault, call: call)
                    isReached = found.isReached
                    // The last round reaches no call that fails, and is not a case.
                    guard isReached else { break }
                    tally.note(
                        found.faults,
                        "\(operation.rawValue), \(fault.name) at call \(call)\(fault.isPersistent ? " and after" : "")")
                }
            }
        }
        return tally
    }

    private func run(
        _ operation: Operation, _ fault: Fault, call: Int
    ) async throws -> (faults: [String], isReached: Bool) {
        try await ScratchFolder.with { folder in
            if operation != .open {
                let first = try await keeper.open(folder, costLimit: Self.costLimit)
                await first.insert(Self.old, "one")
                try await first.flush()
                await first.close()
            }
            let layer = try FaultyFileLayer(directory: folder.directory)
            var faults: [String] = []
            let isOpening = operation == .open || operation == .reopen
            if isOpening { layer.arm(call: call, fault.failure, isPersistent: fault.isPersistent) }
            var expected = Expected(operation)
            // A cache that reports why it doesn't open has failed cleanly.
            let open = try? await keeper.open(folder, costLimit: Self.costLimit, layer: layer)
            if open == nil, !isOpening || !fault.isRefusal { faults.append("it doesn't open") }
            if let open {
                if !isOpening { layer.arm(call: call, fault.failure, isPersistent: fault.isPersistent) }
                expected.isReported = await Self.perform(operation, open, &faults)
                layer.disarm()
                if expected.isReported, !fault.isRefusal { faults.append("an error was reported") }
                // Entries that could not be removed are removed again.
                try? await open.flush()
                faults += await expected.faults(in: open, isReopened: false)
                faults += await Self.useAgain(open)
                await open.close()
            }
            let isReached = layer.callCount >= call
            layer.disarm()
            if layer.openCount != 0 { faults.append("\(layer.openCount) files stay open") }
            faults += try await reopen(folder, expected)
            return (faults, isReached)
        }
    }

    private static let old = CheckedBytes.value("one", count: 600)
    private static let new = CheckedBytes.value("one", version: 2, count: 600)
    private static let two = CheckedBytes.value("two", count: 600)
    /// So large that no other entry fits.
    private static let large = CheckedBytes.value("two", count: 3_800)

    /// Performs the operation; returns whether an error was reported.
    private static func perform(_ operation: Operation, _ open: OpenFileKeeper, _ faults: inout [String]) async -> Bool
    {
        switch operation {
        case .put: await open.insert(two, "two")
        case .replace: await open.insert(new, "one")
        case .get:
            let value = await open.value("one")
            if value != nil, value != old { faults.append("a lookup gave wrong bytes") }
            return false
        case .remove: await open.remove("one")
        case .evict: await open.insert(large, "two")
        case .open, .reopen: return false
        }
        do {
            try await open.flush()
            return false
        } catch {
            return true
        }
    }

    /// Checks that the next operation works.
    private static func useAgain(_ open: OpenFileKeeper) async -> [String] {
        let value = CheckedBytes.value("three", count: 40)
        await open.insert(value, "three")
        do {
            try await open.flush()
        } catch {
            return ["the next insert fails too: \(error)"]
        }
        var faults = await open.value("three") == value ? [] : ["the next insert isn't found"]
        await open.remove("three")
        do {
            try await open.flush()
        } catch {
            faults.append("the next removal fails too: \(error)")
        }
        return faults + open.invariants()
    }

    private func reopen(_ folder: ScratchFolder, _ expected: Expected) async throws -> [String] {
        let open: OpenFileKeeper
        do {
            open = try await keeper.open(folder, costLimit: Self.costLimit)
        } catch {
            return ["it doesn't open again: \(error)"]
        }
        var faults = await expected.faults(in: open, isReopened: true)
        var found = 0
        for key in ["one", "two", "three"] where await open.value(key) != nil { found += 1 }
        try? await open.flush()
        faults += open.invariants()
        let byteCount = open.byteCount()
        await open.close()
        return try faults + keeper.faults(in: folder, entryCount: found, byteCount: byteCount)
    }

    /// The values that may be found once an operation has returned.
    private struct Expected: Sendable {
        let operation: Operation
        var isReported = false

        init(_ operation: Operation) { self.operation = operation }

        private func allowed(_ key: String, isReopened: Bool) -> Set<Data?> {
            switch (operation, key) {
            case (.put, "one"): [old]
            case (.put, "two"): isReported ? [nil, two] : [two]
            // The process must not see a value that it replaced; after a failure the file may still hold it.
            case (.replace, "one"): !isReported ? [new] : isReopened ? [nil, old, new] : [nil, new]
            case (.remove, "one"): isReported && isReopened ? [nil, old] : [nil]
            // An insert that failed may not have evicted anything yet.
            case (.evict, "one"): isReported ? [nil, old] : [nil]
            case (.evict, "two"): isReported ? [nil, large] : [large]
            case (.get, "one"), (.reopen, "one"): [nil, old]
            default: [nil]
            }
        }

        func faults(in open: OpenFileKeeper, isReopened: Bool) async -> [String] {
            var faults: [String] = []
            for key in ["one", "two"] {
                let value = await open.value(key)
                if !allowed(key, isReopened: isReopened).contains(value) {
                    faults.append(
                        "\(key) holds \(describe(value, key))\(isReopened ? " when reopened" : "")"
                            + (isReported ? "" : ", and no error was reported"))
                }
            }
            return faults
        }

        private func describe(_ value: Data?, _ key: String) -> String {
            guard let value else { return "nothing" }
            return CheckedBytes.version(of: value, key).map { "version \($0)" } ?? "wrong bytes"
        }
    }
}

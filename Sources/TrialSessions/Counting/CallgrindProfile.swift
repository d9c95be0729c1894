import Foundation
import TrialModel

/// What Callgrind counted in one phase: the instructions of each kind of operation, and of the harness around it.
///
/// Reads the format that `callgrind_annotate` reads, version 1, with names and positions written out:
/// <https://valgrind.org/docs/manual/cl-format.html>.
struct CallgrindProfile: Sendable {
    typealias Calls = InstructionTally.Calls

    /// The sum of the whole file.
    private(set) var total = Calls()
    /// The functions with the prefix, by name.
    private(set) var calls: [String: Calls] = [:]
    /// The instructions of every function without those that it calls, by name.
    private(set) var own: [String: UInt64] = [:]
    /// The events, in the order of their numbers in a line of costs.
    private var events: [Substring] = []

    /// Reads a profile. O(size).
    ///
    /// - Parameter prefix: how the names of the functions begin whose calls are added up.
    /// - Throws: ``HarnessError`` that names a line which is not part of a profile.
    init(_ text: String, prefix: String) throws {
        var function = Substring()
        var callee: Substring?
        var callCount: UInt64?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let name = line.value(of: "fn=") {
                function = name
            } else if let name = line.value(of: "cfn=") {
                callee = name
            } else if let count = line.value(of: "calls=") {
                guard let first = count.split(separator: " ").first, let value = UInt64(first) else {
                    throw Self.damaged(number, line)
                }
                callCount = value
            } else if let names = line.value(of: "events: ") {
                events = names.split(separator: " ").map { Substring(String($0)) }
                guard events.contains("Ir") else { throw Self.damaged(number, line) }
            } else if let first = line.first, first.isNumber || first == "+" || first == "-" || first == "*" {
                guard var costs = costs(of: line) else { throw Self.damaged(number, line) }
                if let count = callCount {
                    if let callee, callee.hasPrefix(prefix) {
                        costs.calls = count
                        calls[String(callee), default: Calls()].add(costs)
                    }
                    (callee, callCount) = (nil, nil)
                } else {
                    own[String(function), default: 0] &+= costs.instructions
                    total.add(costs)
                }
            }
        }
        guard !events.isEmpty else { throw HarnessError("Callgrind's profile names no events") }
    }

    private func costs(of line: Substring) -> Calls? {
        let numbers = line.split(separator: " ").dropFirst().map { UInt64($0) }
        guard numbers.count <= events.count else { return nil }
        var costs = Calls()
        // Zeros at the end of a line are left out.
        for (event, number) in zip(events, numbers) {
            guard let number else { return nil }
            switch event {
            case "Ir": costs.instructions &+= number
            case "D1mr", "D1mw": costs.firstLevelMisses &+= number
            case "DLmr", "DLmw": costs.lastLevelMisses &+= number
            default: break
            }
        }
        return costs
    }

    private static func damaged(_ index: Int, _ line: Substring) -> HarnessError {
        HarnessError("line \(index + 1) of Callgrind's profile can't be read: '\(line.prefix(60))'")
    }
}

extension CallgrindProfile {
    /// The tally of a trial whose operations are within functions of their names.
    ///
    /// - Parameter isWhole: whether the whole process was counted.
    func tally(isWhole: Bool, simulatesCaches: Bool) -> InstructionTally {
        var tally = InstructionTally(method: isWhole ? .callgrindProcess : .callgrind)
        tally.simulatesCaches = simulatesCaches
        if isWhole { tally.process = total }
        for kind in OperationKind.allCases {
            tally.operations[kind] = calls["cache_trials_counted_\(kind.rawValue)"]
            tally.bare[kind] = calls["cache_trials_bare_\(kind.rawValue)"]
        }
        return tally
    }
}

extension Substring {
    fileprivate func value(of key: String) -> Substring? {
        hasPrefix(key) ? dropFirst(key.count) : nil
    }
}

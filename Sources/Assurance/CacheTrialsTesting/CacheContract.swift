import CacheStrategies
package import Conformance
public import Foundation
import Locks
import TrialModel

/// The contract of a cache, as checks for a test suite: what `CacheStrategy` says, and what the cache declares.
///
/// ```swift
/// @Test(arguments: CacheContract(FastCache<String, TrackedValue>.self).checks)
/// func keepsItsContract(_ check: ContractCheck) async throws { try await check() }
/// ```
///
/// `cache-trials check` runs the same checks, each in a process of its own. Values of type ``TrackedValue`` are counted
/// while they live, have lifetimes and refuse foreign bytes; other values work as well, with fewer checks.
public struct CacheContract: Sendable {
    /// Makes a cache with the limits of a configuration, and the calls that checks make of it.
    public typealias Open = @Sendable (StrategyConfiguration) throws -> CacheOperations<String, TrackedValue>

    /// Makes a cache that only loads, and returns its load: the value of a key, with a fetch of encoded bytes where it has
    /// none.
    public typealias OpenMemoizer =
        @Sendable (StrategyConfiguration) throws -> CacheOperations<String, TrackedValue>.Load

    private let declaration: StrategyDeclaration
    private let names: [ConformanceCheck]
    /// Checks that need a call which the cache does not have.
    private var leftOut: [ConformanceCheck]
    private let calls: CacheCalls
    private let failures: ContractCheck.Run
    /// Runs a check in a process of its own, whose memory it measures.
    private let measured: ContractCheck.Run
    /// The hangs of all its checks.
    private let hangs = Locked(0)
    /// Whether this process can be measured.
    private let isMeasured: Bool

    /// The contract of a cache with text as keys and counted values.
    public init<Strategy: CacheStrategy<String, TrackedValue>>(_ type: Strategy.Type) {
        self.init { ConformanceKit(type) }
    }

    /// The contract of a cache with whole numbers as keys and counted values.
    public init<Strategy: CacheStrategy<Int, TrackedValue>>(_ type: Strategy.Type) {
        self.init { ConformanceKit(type) }
    }

    /// The contract of a cache of bytes. Nothing is checked about bytes that don't decode, values that leak and lifetimes
    /// of single values.
    public init<Strategy: CacheStrategy<String, Data>>(_ type: Strategy.Type) {
        self.init { ConformanceKit(type) }
    }

    /// The contract of a cache with any keys and values. Values are not counted, so that leaks are not checked.
    ///
    /// - Parameters:
    ///   - key: the key with a number; other numbers give other keys.
    ///   - value: the value with a number and a cost, a multiple of `byteUnit`; other numbers give other encoded bytes.
    ///   - undecodable: bytes that `Value.init(encoded:)` refuses; `nil` if it takes all.
    ///   - byteUnit: the factor for the checks' costs, where values have a least size.
    public init<Strategy: CacheStrategy>(
        _ type: Strategy.Type, key: @escaping @Sendable (Int) -> Strategy.Key,
        value: @escaping @Sendable (_ number: Int, _ byteCount: Int) -> Strategy.Value, undecodable: Data?,
        byteUnit: Int = 1
    ) {
        self.init {
            ConformanceKit(
                type, makeKey: key, makeValue: value, undecodable: undecodable, byteUnit: byteUnit, aliveValues: nil)
        }
    }

    /// The contract of a cache that does not conform to `CacheStrategy`: a type of an app with an API of its own.
    ///
    /// What needs a call that is missing is left out, and one case of ``checks`` names it.
    ///
    /// - Parameters:
    ///   - declaration: its name, its limits and its promises.
    ///   - open: makes a cache with the limits of a configuration, and the calls that the checks make of it. It is also
    ///     called once to see which calls there are.
    public init(adapting declaration: StrategyDeclaration, open: @escaping Open) {
        let calls = AdaptedCache<String, TrackedValue>.calls(opening: open)
        self.init { ConformanceKit(adapting: declaration, calls: calls, open: open) }
    }

    /// The contract of a cache that only loads, such as a memoizer: shared loads, errors, cancelled callers, values of
    /// other keys, memory.
    ///
    /// - Parameters:
    ///   - name: the cache's name.
    ///   - promises: by default, callers that miss a key together share one fetch, which may wait for itself where it loads its
    ///     own key, a failure is forgotten, and a cancelled caller harms no other.
    ///   - open: makes a cache, and returns its load.
    public init(
        memoizing name: String,
        promises: Promises = Promises(coalescesLoads: true, limit: .none, mayWaitForItself: true),
        open: @escaping OpenMemoizer
    ) {
        let declaration = StrategyDeclaration(name: name, summary: "a cache that only loads", promises: promises)
        self.init {
            ConformanceKit(adapting: declaration, calls: .nothingBeside) { CacheOperations(memoizing: try open($0)) }
        }
        leftOut = []
    }

    /// The contract as a kit checks it: for the tests of this package.
    package init<Strategy>(_ makeKit: @escaping @Sendable () -> ConformanceKit<Strategy>) {
        // Each check has a kit of its own, with its own counter of living values.
        let makeKit: @Sendable () -> ConformanceKit<Strategy> = {
            var kit = makeKit()
            kit.onStep = CheckJournal.step
            return kit
        }
        let kit = makeKit()
        declaration = kit.declaration
        isMeasured = kit.allocatedBytes != nil
        measured = { check, calls in
            var kit = makeKit()
            (kit.allocatedBytes, kit.calls) = (Heap.allocatedBytes, calls)
            return await kit.failures(of: check)
        }
        let called = Set(
            Promise.allCases.flatMap {
                ConformanceCheck.checks(of: $0, by: Strategy.self, declaring: kit.declaration)
            })
        let wanted = ConformanceCheck.allCases.filter { check in
            (called.contains(check) || check == .valuesAreIsolated && kit.scribble != nil)
                && !((check == .nothingLeaks || check == .goneIsReleased) && kit.aliveValues == nil)
                && !(check == .undecodableIsRefused && kit.undecodable == nil)
        }
        names = wanted.filter { kit.available.isSuperset(of: $0.needed) }
        leftOut = wanted.filter { !kit.available.isSuperset(of: $0.needed) }
        calls = kit.available
        failures = { check, calls in
            var kit = makeKit()
            kit.calls = calls
            return await kit.failures(of: check)
        }
    }

    /// The checks that the declaration calls for; one that it does not call for is absent.
    public var checks: [ContractCheck] {
        names.map { check in
            // Memory is the whole process's, and a value that holds a thread of the pool while it is released leaves too
            // few to tests beside it.
            let apart: [ConformanceCheck] = [.memoryIsGivenBack, .forgottenKeysAreFree, .pressureInsideEviction]
            let isApart = apart.contains(check) && !isMeasured
            return ContractCheck(check, of: declaration.name, isApart: isApart, hangs, isApart ? measured : failures)
        } + (leftOut.isEmpty ? [] : [ContractCheck(leavingOut: leftOut, of: declaration.name, missing: missing)])
    }

    /// The calls without which checks are left out.
    private var missing: [String] { calls.missing(of: leftOut.reduce(into: []) { $0.formUnion($1.needed) }) }

    /// All checks, each a case of a JUnit file that is written while they run. Keep them in one constant: each call begins
    /// a file anew.
    ///
    /// - Parameter path: the file; an earlier one is replaced.
    public func checks(reportingTo path: String) -> [ContractCheck] {
        let report = ContractReport(path: path, cache: declaration.name, names: checks.map(\.name))
        return checks.map { check in
            var check = check
            check.report = report
            return check
        }
    }

    /// The checks whose names contain one of some texts, such as `"limit"`.
    public func checks(only texts: String...) -> [ContractCheck] {
        checks.filter { check in texts.contains { check.name.localizedCaseInsensitiveContains($0) } }
    }
}

#if HTTP
    package import CacheStrategies
    import Foundation
    package import Origins
    import TrialModel
    import BuiltInStrategies
    package import TimedStrategies
    import TrialSessions

    /// The origin fails in every way while callers wait: every caller gets an answer, an error reaches only callers
    /// of its key, no wrong value is cached, the next load works, and the server's log agrees with what the callers
    /// saw.
    package struct OriginFaultCheck: Sendable {
        /// The check's name.
        package static let name = "origin-faults"

        /// One kind of failure, with a number of waiting callers.
        struct Case: Sendable {
            let kind: OriginFaultKind
            let waiters: Int
            /// Whether the key was loaded, found and removed before.
            let isWarm: Bool

            var note: String { "\(kind.rawValue), \(waiters) waiting, \(isWarm ? "warm" : "cold")" }
        }

        static let cases = OriginFaultKind.allCases.flatMap { kind in
            [1, 64].flatMap { waiters in
                [false, true].map { Case(kind: kind, waiters: waiters, isWarm: $0) }
            }
        }

        /// The strategy's name.
        package let strategy: String
        private let isExpectedToFail: Bool
        private let runCase:
            @Sendable (Case, _ seed: UInt64, _ address: String, _ trial: String) async throws -> [String]

        /// The check of a strategy of the registry; `nil` where the strategy does not take strings as keys.
        package init?(_ registration: Strategy) {
            guard let type = registration.stringKeyed else { return nil }
            self = Self.make(type, registration.declaration)
        }

        /// The check of a strategy.
        package init<Strategy: CacheStrategy<String, Payload>>(_ type: Strategy.Type) {
            self.init(type, Strategy.declaration)
        }

        private static func make<Strategy: CacheStrategy<String, Payload>>(
            _ type: Strategy.Type, _ declaration: StrategyDeclaration
        ) -> OriginFaultCheck {
            OriginFaultCheck(type, declaration)
        }

        /// The checks of all strategies that claim to be correct.
        package static var candidates: [OriginFaultCheck] {
            StrategyRegistry.builtIn.strategies(of: .candidate).compactMap { OriginFaultCheck($0) }
        }

        /// The names of the strategies in ``candidates``.
        package static var candidateNames: [String] { candidates.map(\.strategy) }

        private init<Strategy: CacheStrategy<String, Payload>>(
            _ type: Strategy.Type, _ declaration: StrategyDeclaration
        ) {
            strategy = declaration.name
            isExpectedToFail = declaration.role == .reference || declaration.role == .control
            runCase = { try await OriginFaultTrial<Strategy>($0, seed: $1).run(address: $2, trial: $3) }
        }

        /// Runs the cases against a server of their own, in an order that depends on the seed.
        package func run(seed: UInt64, _ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
            try await FixtureServerInProcess.with { address in
                var tally = CheckTally(
                    name: Self.name, strategy: strategy, seed: seed, isExpectedToFail: isExpectedToFail)
                var cases = Self.cases
                let name = strategy.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
                var random = RandomSource(seed: seed, stream: name)
                random.shuffle(&cases)
                for one in cases where budget.allows(tally) {
                    tally.note(try await runCase(one, seed, address, "case-\(tally.done)"), one.note)
                }
                return tally
            }
        }
    }
#endif

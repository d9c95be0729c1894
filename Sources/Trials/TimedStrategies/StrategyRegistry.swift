package import CacheStrategies

/// The strategies that can be put on trial.
package struct StrategyRegistry: Sendable {
    /// The strategies, in the order of `list strategies`.
    package let strategies: [Strategy]

    package init(_ strategies: [Strategy]) {
        self.strategies = strategies
    }

    /// All names, in order.
    package var names: [String] { strategies.map(\.declaration.name) }

    /// The strategy with a name. The prefix `shared+` adds shared loads to a strategy that does not share loads itself.
    /// `twin+` is the same strategy again, under a name of its own: what differs between twins is the harness's error.
    package subscript(name: String) -> Strategy? {
        if let original = Self.original(of: name) {
            return Self.original(of: original) == nil ? self[original]?.named(name) : nil
        }
        guard let base = Self.base(of: name) else { return own(name) }
        return own(base).flatMap { $0.declaration.promises.coalescesLoads ? nil : $0.sharingLoads }
    }

    private func own(_ name: String) -> Strategy? { strategies.first { $0.declaration.name == name } }

    /// The default strategies of a run: all candidates and baselines, except servers and engines.
    package var defaults: [Strategy] { strategies(of: .candidate, .baseline) }

    /// The strategies with one of some roles, in order, except those that run only when named.
    package func strategies(of roles: StrategyRole...) -> [Strategy] {
        strategies.filter { $0.group == nil && roles.contains($0.declaration.role) }
    }

    /// The strategies of a group that runs only when named, such as servers and engines.
    package func strategies(in group: String) -> [Strategy] { strategies.filter { $0.group == group } }

    /// The groups that run only when named.
    package var groups: [String] {
        strategies.compactMap(\.group).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// All declarations, each followed by the same strategy with shared loads if that is possible.
    package var declarations: [StrategyDeclaration] {
        strategies.map(\.declaration).flatMap { $0.promises.coalescesLoads ? [$0] : [$0, $0.sharingLoads] }
    }

    /// ``declarations`` and their twins: whatever can be named.
    package var nameable: [StrategyDeclaration] {
        declarations.flatMap { declaration in
            var twin = declaration
            twin.name = Self.twinPrefix + declaration.name
            return [declaration, twin]
        }
    }

    /// The names of strategies with shared loads.
    package var sharingNames: [String] { declarations.map(\.name).filter { Self.base(of: $0) != nil } }

    /// Sorts names in the order of the list.
    package func ordered(_ names: Set<String>) -> [String] { nameable.map(\.name).filter(names.contains) }

    /// The strategies whose findings are expected and fail no gate: reference implementations and controls.
    package var unjudged: Set<String> {
        Set(nameable.filter { $0.role == .reference || $0.role == .control }.map(\.name))
    }

    /// The name of the strategy whose loads are shared; `nil` for a name without sharing.
    package static func base(of name: String) -> String? {
        let prefix = StrategyDeclaration.sharingPrefix
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    /// The prefix of the name of a strategy's twin.
    private static var twinPrefix: String { "twin+" }

    /// The name of the strategy that a twin repeats; `nil` for any other name.
    package static func original(of name: String) -> String? {
        name.hasPrefix(twinPrefix) ? String(name.dropFirst(twinPrefix.count)) : nil
    }

    /// Why the strategy of a name with sharing cannot share loads; `nil` when there is no known reason.
    package func reasonAgainstSharing(_ name: String) -> String? {
        guard let base = Self.base(of: name) else { return nil }
        let sharesAlready =
            own(base)?.declaration.promises.coalescesLoads == true || self[base] != nil && own(base) == nil
        return sharesAlready ? "\(base) already shares loads" : nil
    }

    /// The strategies without any lock, which a race detector must report: one on threads, one that suspends.
    package var unsynchronized: [Strategy] {
        ["unsynchronized", "unsynchronized-tasks"].compactMap { self[$0] }
    }

    /// The registry with other strategies after its own.
    ///
    /// - Parameter reserved: words with another meaning on the command line, such as groups of strategies.
    /// - Throws: ``StrategyNameError`` when a name is taken or invalid, or a strategy cannot be called by many threads.
    package func adding(
        _ own: [Strategy], reserved: Set<String>
    ) throws(StrategyNameError) -> StrategyRegistry {
        var all = strategies
        for strategy in own {
            let name = strategy.declaration.name
            guard name.wholeMatch(of: #/[a-z0-9]+(-[a-z0-9]+)*/#) != nil else { throw .notKebabCase(name) }
            if reserved.contains(name) { throw .reserved(name) }
            if strategy.isUnguarded { throw .unguarded(name) }
            if let other = all.first(where: { $0.declaration.name == name }) {
                throw .taken(name, by: other.declaration.summary)
            }
            all.append(strategy)
        }
        return StrategyRegistry(all)
    }
}

/// Why a strategy cannot be added.
package enum StrategyNameError: Error, Hashable, CustomStringConvertible {
    case taken(String, by: String)
    case reserved(String)
    case notKebabCase(String)
    case unguarded(String)

    package var description: String {
        switch self {
        case .taken(let name, let other):
            "there is already a strategy called '\(name)' (\(other)); give yours another name in its declaration"
        case .reserved(let name):
            "'\(name)' is the name of a group of strategies; give yours another name in its declaration"
        case .notKebabCase(let name):
            "a strategy cannot be called '\(name)'; names are lowercase letters and digits with single hyphens "
                + "between them, such as 'my-cache'"
        case .unguarded(let name):
            "'\(name)' is declared for one caller at a time; wrap its type in OneCallerAtATime, which is a lock"
        }
    }
}

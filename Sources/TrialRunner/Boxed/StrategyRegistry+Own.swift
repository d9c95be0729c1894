import CacheStrategies
import Locks

extension StrategyRegistry {
    /// The strategies that this program can put on trial: what is built in, and what the program added to it.
    ///
    /// One for the process and no value that is handed on, because the command line's help and completions are static.
    package static var current: StrategyRegistry { registered.withLock { $0 } }

    private static let registered = Locked(StrategyRegistry.builtIn)

    /// Adds strategies to ``current``; called once, before the command line is read.
    ///
    /// - Throws: ``StrategyNameError``, and then nothing was added.
    package static func add(_ own: [StrategyRegistration], reserved: Set<String>) throws(StrategyNameError) {
        let extended = try current.adding(own, reserved: reserved)
        registered.withLock { $0 = extended }
    }

    /// The registry with other strategies behind its own.
    ///
    /// - Parameter reserved: words that the command line takes for something else, such as groups of strategies.
    /// - Throws: ``StrategyNameError`` when a name is taken, or no name.
    package func adding(
        _ own: [StrategyRegistration], reserved: Set<String>
    ) throws(StrategyNameError) -> StrategyRegistry {
        var all = registrations
        for registration in own {
            let name = registration.declaration.name
            guard name.wholeMatch(of: #/[a-z0-9]+(-[a-z0-9]+)*/#) != nil else { throw .notKebabCase(name) }
            if reserved.contains(name) { throw .reserved(name) }
            if let other = all.first(where: { $0.declaration.name == name }) {
                throw .taken(name, by: other.declaration.summary)
            }
            all.append(registration)
        }
        return StrategyRegistry(all)
    }
}

/// A name that a strategy can't have.
package enum StrategyNameError: Error, Hashable, CustomStringConvertible {
    case taken(String, by: String)
    case reserved(String)
    case notKebabCase(String)

    package var description: String {
        switch self {
        case .taken(let name, let other):
            "there is a strategy called '\(name)' already (\(other)); give yours another name in its declaration"
        case .reserved(let name):
            "'\(name)' stands for a group of strategies; give yours another name in its declaration"
        case .notKebabCase(let name):
            "a strategy can't be called '\(name)'; names are lowercase letters and digits with single hyphens "
                + "between them, such as 'my-cache'"
        }
    }
}

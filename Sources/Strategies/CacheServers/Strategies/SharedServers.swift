import CacheStrategies
import Foundation

extension StrategyConfiguration {
    /// The address of a running server for a strategy; `nil` where it should start its own.
    ///
    /// - Throws: ``ServerAddress/Mistake`` when the address can't be parsed.
    func address(for strategy: String) throws -> ServerAddress? {
        try servers?.addresses[strategy].map { try ServerAddress($0) }
    }

    /// The folder in which a local server's folder is made.
    var serverFolder: URL { directory ?? FileManager.default.temporaryDirectory }
}

/// The longest lifetime of entries on a shared server: entries that a client leaves behind last at most an hour.
let lifetimeMaxOnSharedServers = Duration.seconds(3_600)

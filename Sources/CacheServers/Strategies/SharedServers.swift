import CacheStrategies
import Foundation

extension StrategyConfiguration {
    /// The addresses of running servers for a strategy; `nil` where it should start its own.
    ///
    /// - Throws: ``ServerAddress/Mistake`` when the list of addresses can't be parsed.
    func addresses(for strategy: String) throws -> [ServerAddress]? {
        guard let texts = servers?.addresses[strategy], !texts.isEmpty else { return nil }
        var addresses: [ServerAddress] = []
        for text in texts { addresses.append(try ServerAddress(text)) }
        return addresses
    }

    /// The folder in which a local server's folder is made.
    var serverFolder: URL { directory ?? FileManager.default.temporaryDirectory }
}

/// The longest lifetime of entries on a shared server: entries that a client leaves behind last at most an hour.
let lifetimeMaxOnSharedServers = Duration.seconds(3_600)

import CacheStrategies
import Foundation

extension StrategyConfiguration {
    /// The addresses of running servers for a strategy; `nil` where it is to start its own.
    ///
    /// - Throws: ``ServerAddress/Mistake``.
    func addresses(for strategy: String) throws -> [ServerAddress]? {
        guard let texts = servers?.addresses[strategy], !texts.isEmpty else { return nil }
        var addresses: [ServerAddress] = []
        for text in texts { addresses.append(try ServerAddress(text)) }
        return addresses
    }

    /// Where a server of the strategy's own has its folder.
    var serverFolder: URL { directory ?? FileManager.default.temporaryDirectory }
}

/// How long entries live on a server that others use, at most: whoever leaves some behind leaves them for an hour.
let lifetimeMaxOnSharedServers = Duration.seconds(3_600)

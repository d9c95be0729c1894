package import CacheStrategies
package import Foundation

/// What a ``ServerCache`` needs of a kind of server.
package protocol CacheBackend: Sendable {
    /// An insert or a removal that is on its way.
    associatedtype Change: Sendable

    /// What a strategy with this server is called and promises.
    static var declaration: StrategyDeclaration { get }

    /// Whether removing all entries only takes them out of sight, by a new generation of keys.
    static var hidesRemoved: Bool { get }

    /// Starts a server of its own, or connects to those of the configuration. Blocks the thread meanwhile.
    ///
    /// - Throws: what keeps it from doing so, such as ``ServerError``.
    init(configuration: StrategyConfiguration) throws

    /// What is held under a key.
    ///
    /// - Parameters:
    ///   - key: the strategy's, as bytes.
    ///   - generation: entries of other generations are not found.
    func bytes(of key: Data, _ generation: UInt64) async throws(ServerError) -> Data?

    /// Sends an insert, and doesn't wait. Those of one key are carried out in the order in which they are sent.
    ///
    /// - Parameters:
    ///   - lifetime: `nil` for as long as there is room.
    ///   - onlyIfAbsent: leaves alone what is there.
    func sendInsert(_ bytes: Data, _ key: Data, _ generation: UInt64, lifetime: Duration?, onlyIfAbsent: Bool) -> Change

    /// Sends a removal, and doesn't wait.
    func sendRemoval(of key: Data, _ generation: UInt64) -> Change

    /// Waits until a change is carried out.
    func finish(_ change: Change) async throws(ServerError)

    /// Removes all entries of the cache's own, and nobody else's.
    func removeAll() async throws(ServerError)

    /// What the server knows about itself, as far as it concerns this cache.
    func statistics() async throws(ServerError) -> CacheStatistics

    /// Ends the connections, and a server of its own.
    func close() async
}

package import CacheStrategies
package import Foundation

/// The operations that a ``ServerCache`` needs from a kind of server.
package protocol CacheBackend: Sendable {
    /// An insert or a removal in flight.
    associatedtype Change: Sendable

    /// The name and the promises of a strategy with this server.
    static var declaration: StrategyDeclaration { get }

    /// Whether removing all entries only hides them, by a new generation of keys.
    static var hidesRemoved: Bool { get }

    /// Starts a local server, or connects to those of the configuration. Blocks the thread meanwhile.
    ///
    /// - Throws: the reason of a failure, such as ``ServerError``.
    init(configuration: StrategyConfiguration) throws

    /// The bytes held under a key; `nil` for a miss.
    ///
    /// - Parameters:
    ///   - key: the strategy's key, as bytes.
    ///   - generation: entries of other generations are not found.
    func bytes(of key: Data, _ generation: UInt64) async throws(ServerError) -> Data?

    /// Sends an insert without waiting. Inserts of one key are executed in the order in which they are sent.
    ///
    /// - Parameters:
    ///   - lifetime: `nil` for no limit.
    ///   - onlyIfAbsent: keeps an existing entry.
    func sendInsert(_ bytes: Data, _ key: Data, _ generation: UInt64, lifetime: Duration?, onlyIfAbsent: Bool) -> Change

    /// Sends a removal without waiting.
    func sendRemoval(of key: Data, _ generation: UInt64) -> Change

    /// Waits until a change is executed.
    func finish(_ change: Change) async throws(ServerError)

    /// Removes all entries of this cache, and no others.
    func removeAll() async throws(ServerError)

    /// The server's own statistics, as far as they concern this cache.
    func statistics() async throws(ServerError) -> CacheStatistics

    /// Ends the connections, and stops a local server.
    func close() async
}

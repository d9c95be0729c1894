import CacheStrategies
import Foundation
import Origins
package import TimedStrategies

#if HTTP
    import CacheServers
#endif

extension StrategyRegistry {
    /// A strategy that this build doesn't have.
    package struct Off: Sendable {
        package let name: String
        /// The reason, and how to get the strategy.
        package let reason: String
    }

    /// The strategies that the package's disabled traits leave out of this build.
    package static var off: [Off] {
        var off: [Off] = []
        #if !HTTP
            off += ["redis", "memcached"].map {
                Off(name: $0, reason: "built without the trait HTTP, which brings SwiftNIO and is on by default")
            }
        #endif
        #if !SQLite
            off.append(
                Off(
                    name: "sqlite",
                    reason:
                        "built without the trait SQLite; install libsqlite3-dev and build with scripts/build --sqlite"))
        #endif
        #if !URLCache
            off.append(Off(name: "urlcache", reason: "built without the trait URLCache, which is on by default"))
        #endif
        return off
    }

    /// All names that a scenario may use, including those of strategies that this build doesn't have.
    package static var knownNames: [String] { current.names + off.map(\.name) }

    /// Caches that are servers or database engines.
    static var engines: [Strategy] { servers + databases + urlCaches }

    private static var servers: [Strategy] {
        #if HTTP
            [
                Strategy(
                    RedisCache<Int, Payload>.self, RedisCache<String, Payload>.self,
                    RedisCache<URL, Payload>.self
                ).namedOnly { ServerPrograms.absence(of: "redis") },
                Strategy(
                    MemcachedCache<Int, Payload>.self, MemcachedCache<String, Payload>.self,
                    MemcachedCache<URL, Payload>.self
                ).namedOnly { ServerPrograms.absence(of: "memcached") },
            ]
        #else
            []
        #endif
    }

    private static var databases: [Strategy] {
        #if SQLite
            [
                Strategy(
                    SQLiteCache<Int, Payload>.self, SQLiteCache<String, Payload>.self,
                    SQLiteCache<URL, Payload>.self
                ).namedOnly()
            ]
        #else
            []
        #endif
    }

    private static var urlCaches: [Strategy] {
        #if URLCache
            [
                Strategy(
                    SystemURLCache<Int, Payload>.self, SystemURLCache<String, Payload>.self,
                    SystemURLCache<URL, Payload>.self
                ).namedOnly()
            ]
        #else
            []
        #endif
    }
}

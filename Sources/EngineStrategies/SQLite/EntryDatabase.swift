#if SQLite
    import CacheStrategies
    import Foundation
    import GRDB
    import Locks

    /// The tables of a ``SQLiteCache`` and everything that is said to them.
    ///
    /// `entries` has small rows, so that noting a use rewrites no value; `payloads` has the values.
    final class EntryDatabase: Sendable {
        /// Why a database doesn't open.
        enum OpenError: Error, CustomStringConvertible {
            /// The configuration names no folder.
            case noDirectory

            var description: String { "an SQLite cache needs a folder: set `directory` in its configuration" }
        }

        /// What a transaction is allowed to write.
        struct Admission: Sendable {
            /// What stands for this moment in the order of uses.
            var now: Int64
            /// Uses noted since the last transaction, by row.
            var uses: [Int64: Int64]
        }

        /// What the entries add up to. Touched by the one connection that writes, and read by anybody.
        private struct Totals {
            var count: Int
            var cost: Int
            var evictions: UInt64 = 0
        }

        private let pool: DatabasePool
        private let entryLimit: Int
        private let costLimit: Int
        private let totals: Locked<Totals>

        /// Of one entry: so large that no limit allows it, and so small that sums don't overflow.
        private static let costMax = 1 << 40

        init(in directory: URL?, entryLimit: Int?, costLimit: Int?) throws {
            guard let directory else { throw OpenError.noDirectory }
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            var configuration = Configuration()
            configuration.label = "sqlite-cache"
            configuration.maximumReaderCount = 4
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
            pool = try DatabasePool(
                path: directory.appendingPathComponent("cache.sqlite").path, configuration: configuration)
            self.entryLimit = max(entryLimit ?? .max, 0)
            self.costLimit = max(costLimit ?? .max, 0)
            let found = try pool.write { database in
                try database.execute(sql: Self.schema)
                let row = try Row.fetchOne(database, sql: "SELECT count(*), total(cost) FROM entries")
                let cost: Double = row?[1] ?? 0
                return (count: row?[0] as Int? ?? 0, cost: Int(exactly: cost.rounded()) ?? .max)
            }
            totals = Locked(Totals(count: found.count, cost: found.cost))
            try pool.write { try makeRoom(in: $0) }
        }

        private static let schema = """
            CREATE TABLE IF NOT EXISTS entries (
                id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, cost INTEGER NOT NULL, used INTEGER NOT NULL);
            CREATE INDEX IF NOT EXISTS uses ON entries (used);
            CREATE TABLE IF NOT EXISTS payloads (id INTEGER PRIMARY KEY, value BLOB NOT NULL);
            """

        /// The latest use that is written down.
        func lastUse() throws -> Int64 {
            try pool.read { try Int64.fetchOne($0, sql: "SELECT max(used) FROM entries") } ?? 0
        }

        /// A key's row and value.
        func find(_ key: Data) throws -> (row: Int64, value: Data)? {
            try pool.read { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT id, value FROM entries JOIN payloads USING (id) WHERE key = ?")
                return try Row.fetchOne(statement, arguments: [key]).map { (row: $0[0], value: $0[1]) }
            }
        }

        /// Replaces a key's value in one transaction, and makes room; a value over the cost limit, or none, leaves nothing.
        ///
        /// - Parameter admission: is asked inside the transaction; `nil` keeps it from changing anything.
        func replace(_ key: Data, by value: Data?, cost: Int, admission: @Sendable () -> Admission?) throws {
            let cost = min(max(cost, 0), Self.costMax)
            try change { database, totals in
                guard let admission = admission() else { return }
                try apply(admission.uses, database)
                try remove(key, database, &totals)
                guard let value, cost <= costLimit, entryLimit > 0 else { return }
                try database.cachedStatement(sql: "INSERT INTO entries (key, cost, used) VALUES (?, ?, ?)")
                    .execute(arguments: [key, cost, admission.now])
                try database.cachedStatement(sql: "INSERT INTO payloads (id, value) VALUES (?, ?)")
                    .execute(arguments: [database.lastInsertedRowID, value])
                totals.count += 1
                totals.cost += cost
                try makeRoom(database, &totals)
            }
        }

        /// Removes a key.
        func remove(_ key: Data) throws {
            try change { try remove(key, $0, &$1) }
        }

        /// Removes everything.
        ///
        /// - Parameter noting: is called inside the transaction.
        func removeAll(noting: @Sendable () -> Void) throws {
            try change { database, totals in
                noting()
                try database.execute(sql: "DELETE FROM entries; DELETE FROM payloads")
                totals.count = 0
                totals.cost = 0
            }
        }

        /// Writes uses down.
        func write(uses: [Int64: Int64]) throws {
            try change { database, _ in try apply(uses, database) }
        }

        /// Entries, their costs and evictions.
        func statistics() throws -> CacheStatistics {
            totals.withLock {
                CacheStatistics(entryCount: $0.count, totalCost: $0.cost, evictions: $0.evictions)
            }
        }

        /// Writes uses down and closes all connections.
        func close(uses: [Int64: Int64]) throws {
            try write(uses: uses)
            try pool.close()
        }

        /// Runs a transaction; what it made of the totals counts once it is committed.
        private func change(_ body: (Database, inout Totals) throws -> Void) throws {
            // The pool writes one at a time and in order, so that nobody else changes the totals meanwhile. They are set
            // inside its turn, after the transaction.
            try pool.writeWithoutTransaction { database in
                var changed = totals.withLock { $0 }
                try database.inTransaction(.immediate) {
                    try body(database, &changed)
                    return .commit
                }
                totals.withLock { $0 = changed }
            }
        }

        private func makeRoom(in database: Database) throws {
            var changed = totals.withLock { $0 }
            try makeRoom(database, &changed)
            totals.withLock { $0 = changed }
        }

        /// Drops the least recently used entries until the limits hold.
        private func makeRoom(_ database: Database, _ totals: inout Totals) throws {
            while totals.count > entryLimit || totals.cost > costLimit {
                let oldest = try database.cachedStatement(sql: "SELECT id, cost FROM entries ORDER BY used LIMIT 1")
                guard let row = try Row.fetchOne(oldest) else { return }
                try remove(row: row[0], cost: row[1], database, &totals)
                totals.evictions += 1
            }
        }

        private func remove(_ key: Data, _ database: Database, _ totals: inout Totals) throws {
            let search = try database.cachedStatement(sql: "SELECT id, cost FROM entries WHERE key = ?")
            guard let row = try Row.fetchOne(search, arguments: [key]) else { return }
            try remove(row: row[0], cost: row[1], database, &totals)
        }

        private func remove(row: Int64, cost: Int, _ database: Database, _ totals: inout Totals) throws {
            try database.cachedStatement(sql: "DELETE FROM entries WHERE id = ?").execute(arguments: [row])
            try database.cachedStatement(sql: "DELETE FROM payloads WHERE id = ?").execute(arguments: [row])
            totals.count -= 1
            totals.cost -= cost
        }

        private func apply(_ uses: [Int64: Int64], _ database: Database) throws {
            guard !uses.isEmpty else { return }
            let statement = try database.cachedStatement(sql: "UPDATE entries SET used = ? WHERE id = ?")
            for (row, use) in uses { try statement.execute(arguments: [use, row]) }
        }
    }
#endif

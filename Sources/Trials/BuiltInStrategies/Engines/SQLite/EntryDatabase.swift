#if SQLite
    import CacheStrategies
    import Foundation
    import GRDB
    import Locks

    /// The tables of a ``SQLiteCache`` and all statements that run on them.
    ///
    /// `entries` has small rows, so that noting a use rewrites no value. `payloads` has the values, each with a
    /// checksum, since SQLite itself has none.
    final class EntryDatabase: Sendable {
        /// Why a database doesn't open.
        enum OpenError: Error, CustomStringConvertible {
            /// The configuration names no folder.
            case noDirectory
            /// A folder that isn't empty has the name of a database file.
            case otherFile(path: String)

            var description: String {
                switch self {
                case .noDirectory: "an SQLite cache needs a folder: set `directory` in its configuration"
                case .otherFile(let path):
                    "\(path): is not a regular file, and can't be removed; remove it, or choose another folder"
                }
            }
        }

        /// What a transaction may write.
        struct Admission: Sendable {
            /// This moment's number in the order of uses.
            var now: Int64
            /// Uses noted since the last transaction: the number of the use by row.
            var uses: [Int64: Int64]
        }

        /// The sums over the entries. Only the one writing connection changes them; any thread reads them.
        private struct Totals {
            var count: Int
            var cost: Int
            var evictions: UInt64 = 0
        }

        private let pool: DatabasePool
        private let entryLimit: Int
        private let costLimit: Int
        private let totals: Locked<Totals>

        /// The highest cost of one entry: above every limit, and small enough that sums don't overflow.
        static let costMax = 1 << 40

        init(in directory: URL?, entryLimit: Int?, costLimit: Int?) throws {
            guard let directory else { throw OpenError.noDirectory }
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            pool = try Self.open(directory.appendingPathComponent("cache.sqlite").path)
            self.entryLimit = max(entryLimit ?? .max, 0)
            self.costLimit = max(costLimit ?? .max, 0)
            let found = try pool.write { database in
                let row = try Row.fetchOne(database, sql: "SELECT count(*), total(cost) FROM entries")
                let cost: Double = row?[1] ?? 0
                return (count: row?[0] as Int? ?? 0, cost: Int(exactly: cost.rounded()) ?? .max)
            }
            totals = Locked(Totals(count: found.count, cost: found.cost))
            try pool.write { try makeRoom(in: $0) }
        }

        /// The number of the latest use in the database.
        func lastUse() throws -> Int64 {
            try pool.read { try Int64.fetchOne($0, sql: "SELECT max(used) FROM entries") } ?? 0
        }

        /// A key's row and value; the value is `nil` when its checksum shows damage.
        func find(_ key: Data) throws -> (row: Int64, value: Data?)? {
            try pool.read { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT id, value, checksum FROM entries JOIN payloads USING (id) WHERE key = ?")
                return try Row.fetchOne(statement, arguments: [key]).map { row in
                    let value = Data.fromDatabaseValue(row[1])
                    let isWhole = value.map { Self.checksum(of: key, $0) == Int64.fromDatabaseValue(row[2]) }
                    return (row: row[0], value: isWhole == true ? value : nil)
                }
            }
        }

        /// Replaces a key's value in one transaction, and makes room. A value over the cost limit, or `nil`, leaves no
        /// entry.
        ///
        /// - Parameter admission: called inside the transaction; when it returns `nil`, nothing is changed.
        func replace(_ key: Data, by value: Data?, cost: Int, admission: @Sendable () -> Admission?) throws {
            let cost = min(max(cost, 0), Self.costMax)
            try change { database, totals in
                guard let admission = admission() else { return }
                try apply(admission.uses, database)
                try remove(key, database, &totals)
                guard let value, cost <= costLimit, entryLimit > 0 else { return }
                try database.cachedStatement(sql: "INSERT INTO entries (key, cost, used) VALUES (?, ?, ?)")
                    .execute(arguments: [key, cost, admission.now])
                try database.cachedStatement(sql: "INSERT INTO payloads (id, checksum, value) VALUES (?, ?, ?)")
                    .execute(arguments: [database.lastInsertedRowID, Self.checksum(of: key, value), value])
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
        /// - Parameter noting: called inside the transaction.
        func removeAll(noting: @Sendable () -> Void) throws {
            try change { database, totals in
                noting()
                try database.execute(sql: "DELETE FROM entries; DELETE FROM payloads")
                totals.count = 0
                totals.cost = 0
            }
        }

        /// Writes uses to the database.
        func write(uses: [Int64: Int64]) throws {
            try change { database, _ in try apply(uses, database) }
        }

        /// Entries, their costs and evictions.
        func statistics() throws -> CacheStatistics {
            totals.withLock {
                CacheStatistics(entryCount: $0.count, totalCost: $0.cost, evictions: $0.evictions)
            }
        }

        /// Writes uses to the database and closes all connections.
        func close(uses: [Int64: Int64]) throws {
            try write(uses: uses)
            try pool.close()
        }

        /// Faults of the database or of the totals kept of it, one line each; empty when there are none.
        ///
        /// Linear in the bytes of the database.
        func faults() throws -> [String] {
            try pool.writeWithoutTransaction { database in
                var faults = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
                let sql = """
                    SELECT count(*), total(cost), (SELECT count(*) FROM payloads),
                        (SELECT count(*) FROM entries JOIN payloads USING (id)) FROM entries
                    """
                guard let row = try Row.fetchOne(database, sql: sql) else { return faults }
                let (count, cost, payloads, pairs): (Int, Double, Int, Int) = (row[0], row[1], row[2], row[3])
                if payloads != count || pairs != count {
                    faults.append("\(count) entries, \(payloads) payloads, \(pairs) of them in pairs")
                }
                let kept = totals.withLock { $0 }
                if kept.count != count || kept.cost != Int(cost) {
                    faults.append(
                        "\(kept.count) entries of \(kept.cost) are counted, and \(count) of \(Int(cost)) are there")
                }
                return faults
            }
        }

        /// Runs a transaction. Its changes to the totals take effect once it is committed.
        private func change(_ body: (Database, inout Totals) throws -> Void) throws {
            // The pool runs one write at a time, in order, so that no other transaction changes the totals meanwhile.
            // They are set before the pool starts the next write, after this transaction.
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
                try remove(row: row[0], cost: Int.fromDatabaseValue(row[1]) ?? 0, database, &totals)
                totals.evictions += 1
            }
        }

        private func remove(_ key: Data, _ database: Database, _ totals: inout Totals) throws {
            let search = try database.cachedStatement(sql: "SELECT id, cost FROM entries WHERE key = ?")
            guard let row = try Row.fetchOne(search, arguments: [key]) else { return }
            try remove(row: row[0], cost: Int.fromDatabaseValue(row[1]) ?? 0, database, &totals)
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

#if SQLite
    package import CacheStrategies
    package import Foundation
    import GRDB
    import Locks

    /// Entries in an SQLite database, through GRDB.
    ///
    /// ```swift
    /// let cache = try SQLiteCache<String, Data>(
    ///     configuration: StrategyConfiguration(costLimit: 64 << 20, directory: folder))
    /// cache.insert(picture, forKey: "a", cost: picture.count)
    /// ```
    ///
    /// **How entries are stored.** Write-ahead log, one connection that writes and four that read, statements prepared
    /// once. Every insert and removal is a transaction of its own. Evictions that make room for an insert are in the
    /// same transaction, so that the limits hold at every moment. The least recently used entry is evicted first:
    /// lookups note their use in memory, and the notes reach the database with the next insert, or 256 at a time.
    ///
    /// **What callers see.** A lookup sees every insert and removal that has returned. A load inserts nothing when its
    /// key was written or removed after it began. Loads are not shared.
    ///
    /// **What survives.** After a kill at any moment each entry is whole or absent, and everything that had returned is
    /// there: the system writes out what a transaction gave it. `synchronous` is `NORMAL`: a loss of power may undo the
    /// last transactions, and leaves the database whole. Uses that were only noted are lost. Only one instance at a
    /// time may have the folder.
    ///
    /// **Damage.** The database is checked when it is opened, and starts empty when it was damaged. Every value has a
    /// checksum, which each lookup checks: a damaged value is a miss, and is removed.
    ///
    /// **Failures.** When a transaction fails, as on a full disk, the key has no entry: the new value isn't held, and
    /// the older one is removed. ``statistics()`` counts the failure.
    ///
    /// Operations are logarithmic in the entries. The caller encodes and decodes values, outside the database.
    package final class SQLiteCache<Key: CacheableKey, Value: CacheableValue>: SynchronousCacheStrategy {
        package static var declaration: StrategyDeclaration {
            StrategyDeclaration(
                name: "sqlite", summary: "entries in an SQLite database: write-ahead log, one writer, exact LRU",
                bounds: [.entries, .cost],
                promises: Promises(
                    limit: .hard, durability: .killSafe, admission: .always, keepsNewerWrites: true,
                    limitRules: LimitRules(zero: .holdsNothing), evictionOrder: .leastRecentlyUsed))
        }

        private struct State {
            var loads = LoadRegister<Key>()
            /// Uses that are not in the database yet: the number of the use by row.
            var uses: [Int64: Int64] = [:]
            var lastUse: Int64
            /// Keys whose rows could not be removed; lookups must not find them.
            var distrusted: Set<Data> = []
            var failures: UInt64 = 0
            var firstFailure: String?
        }

        private let database: EntryDatabase
        private let state: Locked<State>

        /// The most uses that are noted before they are written to the database.
        private static var useCountMax: Int { 256 }

        /// Opens the database in the configuration's folder, and finds what an earlier instance left in it.
        ///
        /// - Throws: GRDB's `DatabaseError`, or ``EntryDatabase/OpenError``.
        package init(configuration: StrategyConfiguration) throws {
            database = try EntryDatabase(
                in: configuration.directory, entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
            state = Locked(State(lastUse: try database.lastUse()))
        }

        package func value(forKey key: Key) -> Value? {
            let bytes = key.bytes
            if state.withLock({ $0.distrusted.contains(bytes) }) { return nil }
            let found: (row: Int64, value: Data?)?
            do {
                found = try database.find(bytes)
            } catch {
                note(error)
                return nil
            }
            guard let found else { return nil }
            noteUse(of: found.row)
            if let value = found.value.flatMap({ try? Value(encoded: $0) }) { return value }
            removeValue(forKey: key)
            return nil
        }

        package func insert(_ value: Value, forKey key: Key, cost: Int) {
            // A value that can't be encoded isn't held, and the older value is removed.
            write(try? value.encoded(), key, cost: cost) { state in
                state.loads.noteWrite(to: key)
                return true
            }
        }

        package func removeValue(forKey key: Key) {
            write(nil, key, cost: 0) { state in
                state.loads.noteWrite(to: key)
                return true
            }
        }

        package func removeAll() {
            do {
                try database.removeAll {
                    self.state.withLock { state in
                        state.loads.noteRemovalOfAll()
                        state.uses = [:]
                    }
                }
                state.withLock { $0.distrusted = [] }
            } catch {
                note(error)
            }
        }

        package func load(
            _ key: Key, fetch: @escaping @Sendable () async throws -> Data
        ) async throws -> Loaded<Value> {
            if let value = value(forKey: key) { return Loaded(value, .hit) }
            return try await LoadRegister.load(key, fetch, begin: beginLoad, keep: { ($0, $1) }, end: endLoad)
        }

        package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
            if let value = value(forKey: key) { return Loaded(value, .hit) }
            return try LoadRegister.loadBlocking(key, fetch, begin: beginLoad, keep: { ($0, $1) }, end: endLoad)
        }

        private func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket { state.withLock { $0.loads.begin(key) } }

        private func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: (value: Value, encoded: Data)?) {
            guard let fetched else {
                _ = state.withLock { $0.loads.end(ticket) }
                return
            }
            write(fetched.encoded, ticket.key, cost: fetched.value.cost) {
                $0.loads.end(ticket, inserts: true)
            }
        }

        /// Entries, their costs, evictions since opening, and loads in flight.
        package func statistics() -> CacheStatistics {
            var statistics = CacheStatistics()
            do {
                statistics = try database.statistics()
            } catch {
                note(error)
            }
            state.withLock { state in
                statistics.loadsInFlight = state.loads.count
                statistics.failures = state.failures
                statistics.firstFailure = state.firstFailure
            }
            return statistics
        }

        /// Faults of the database or of its totals, one line each; empty when there are none. Linear in the database's
        /// bytes.
        package func checkInvariants() -> [String] {
            do {
                return try database.faults()
            } catch {
                return ["\(error)"]
            }
        }

        /// Writes the noted uses to the database, and closes it.
        package func close() {
            do {
                try database.close(uses: takeUses())
            } catch {
                note(error)
            }
        }

        /// Replaces a key's value by bytes, or by nothing, in one transaction.
        ///
        /// - Parameter mayWrite: called inside the transaction, while no other one runs. So the loads in flight learn
        ///   of changes in the order in which they are made.
        private func write(
            _ value: Data?, _ key: Key, cost: Int, _ mayWrite: @escaping @Sendable (inout sending State) -> Bool
        ) {
            let bytes = key.bytes
            do {
                try database.replace(bytes, by: value, cost: cost) { [state] in
                    state.withLock { state in
                        guard mayWrite(&state) else { return nil }
                        state.lastUse += 1
                        let uses = state.uses
                        state.uses = [:]
                        return EntryDatabase.Admission(now: state.lastUse, uses: uses)
                    }
                }
                state.withLock { state in
                    if !state.distrusted.isEmpty { state.distrusted.remove(bytes) }
                }
            } catch {
                note(error)
                // The failed transaction left the older value.
                let isGone = (try? database.remove(bytes)) != nil
                if !isGone { _ = state.withLock { $0.distrusted.insert(bytes) } }
            }
        }

        private func noteUse(of row: Int64) {
            let isFull: Bool = state.withLock { state in
                state.lastUse += 1
                state.uses[row] = state.lastUse
                return state.uses.count >= Self.useCountMax
            }
            guard isFull else { return }
            do {
                try database.write(uses: takeUses())
            } catch {
                note(error)
            }
        }

        private func takeUses() -> [Int64: Int64] {
            state.withLock { state in
                let uses = state.uses
                state.uses = [:]
                return uses
            }
        }

        private func note(_ error: any Error) {
            state.withLock { state in
                state.failures &+= 1
                if state.firstFailure == nil { state.firstFailure = "\(error)" }
            }
        }
    }
#endif

#if SQLite
    import CZlib
    import Foundation
    import GRDB

    extension EntryDatabase {
        /// The statements exactly as SQLite stores them, so that a database of an earlier version is recognised.
        /// Constraints reject what no cache writes, so that the check at opening finds it.
        private static let schema = [
            """
            CREATE TABLE entries (
                id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,
                cost INTEGER NOT NULL CHECK (cost BETWEEN 0 AND \(costMax)),
                used INTEGER NOT NULL CHECK (used BETWEEN 0 AND \(Int64.max / 2))) STRICT
            """,
            "CREATE INDEX uses ON entries (used)",
            "CREATE TABLE payloads (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, value BLOB NOT NULL) STRICT",
        ]

        /// Opens a database. It is empty when there was none, when it was damaged, or when it has other tables.
        ///
        /// Opening reads the whole database to find damage: linear in its bytes. The content of a value is checked at
        /// each lookup. A link, a pipe or an empty folder in a file's place is removed; the target of a link is left
        /// alone.
        static func open(_ path: String) throws -> DatabasePool {
            let files = [path, path + "-wal", path + "-shm"]
            let manager = FileManager.default
            for file in files {
                // Attributes of the link itself, not of its target.
                guard let attributes = try? manager.attributesOfItem(atPath: file),
                    let type = attributes[.type] as? FileAttributeType, type != .typeRegular
                else { continue }
                guard rmdir(file) == 0 || unlink(file) == 0 else { throw OpenError.otherFile(path: file) }
            }
            do {
                return try openWhole(path)
            } catch let error as DatabaseError where isDamage(error) {
                for file in files { try? manager.removeItem(atPath: file) }
                return try openWhole(path)
            }
        }

        private static func isDamage(_ error: DatabaseError) -> Bool {
            [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode.primaryResultCode)
        }

        private static func openWhole(_ path: String) throws -> DatabasePool {
            var configuration = Configuration()
            configuration.label = "sqlite-cache"
            configuration.maximumReaderCount = 4
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
            let pool = try DatabasePool(path: path, configuration: configuration)
            do {
                try pool.write { database in
                    let found = try String.fetchSet(
                        database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
                    if found.isEmpty {
                        for statement in schema { try database.execute(sql: statement) }
                    } else if found != Set(schema) {
                        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "it has other tables")
                    }
                    let check = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
                    guard check == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: check) }
                }
            } catch {
                try? pool.close()
                throw error
            }
            return pool
        }

        /// CRC-32 of a key and its value. Linear in their bytes.
        static func checksum(of key: Data, _ value: Data) -> Int64 {
            var sum: uLong = 0
            for bytes in [key, value] {
                bytes.withUnsafeBytes { buffer in
                    // zlib takes a null pointer as a request for the initial value.
                    guard let base = buffer.bindMemory(to: UInt8.self).baseAddress, !buffer.isEmpty else { return }
                    sum = crc32_z(sum, base, buffer.count)
                }
            }
            return Int64(sum)
        }
    }
#endif

import Foundation

/// A way to damage one file of a result folder.
struct ResultDamage: Sendable, CustomStringConvertible {
    /// The file, relative to the folder.
    let file: String
    /// The kind of damage.
    let name: String
    private let change: @Sendable (_ path: String) throws -> Void

    var description: String { "\(file) \(name)" }

    /// Damages the file in a result folder.
    func apply(in folder: String) throws { try change("\(folder)/\(file)") }

    /// Replaces the file's bytes.
    private static func bytes(
        _ file: String, _ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> ResultDamage {
        ResultDamage(file: file, name: name) { path in
            let old = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            try Data(change(old)).write(to: URL(fileURLWithPath: path))
        }
    }

    /// Replaces the file by something else.
    private static func place(
        _ file: String, _ name: String, _ make: @escaping @Sendable (String) -> Int32
    ) -> ResultDamage {
        ResultDamage(file: file, name: name) { path in
            guard unlink(path) == 0, make(path) == 0 else { throw POSIXError(.EIO) }
        }
    }

    /// The damage that is possible for any file.
    private static func general(_ file: String) -> [ResultDamage] {
        [
            place(file, "missing") { _ in 0 },
            place(file, "a folder") { mkdir($0, 0o755) },
            place(file, "a FIFO") { mkfifo($0, 0o600) },
            place(file, "a link to zeros") { symlink("/dev/zero", $0) },
            ResultDamage(file: file, name: "two gibibytes") { path in
                guard truncate(path, 2 << 30) == 0 else { throw POSIXError(.EIO) }
            },
            bytes(file, "empty") { _ in [] },
            bytes(file, "random bytes") { old in old.indices.map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ 7) } },
            bytes(file, "invalid UTF-8") { old in Array(old.dropLast(20)) + [0xC3, 0x28] + old.suffix(20) },
        ]
    }

    /// The damage that is possible for a table; `number` is a column of integers.
    private static func table(_ file: String, number: String) -> [ResultDamage] {
        func rows(_ name: String, _ change: @escaping @Sendable ([String]) -> [String]) -> ResultDamage {
            bytes(file, name) { old in
                let lines = String(decoding: old, as: UTF8.self).split(separator: "\r\n").map(String.init)
                return Array((change(lines).joined(separator: "\r\n") + "\r\n").utf8)
            }
        }
        /// Replaces the first line below the header.
        func first(_ name: String, _ change: @escaping @Sendable (String) -> [String]) -> ResultDamage {
            rows(name) { lines in Array(lines[..<1]) + change(lines[1]) + lines[2...] }
        }
        func cell(_ name: String, _ text: String) -> ResultDamage {
            rows("\(number) \(name)") { lines in
                let place = lines[0].split(separator: ",").firstIndex { $0 == number } ?? 0
                var cells = lines[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                cells[place] = text
                return [lines[0], cells.joined(separator: ",")] + lines[2...]
            }
        }
        return general(file) + [
            rows("only its header") { [$0[0]] },
            bytes(file, "cut in its header") { Array($0.prefix(10)) },
            bytes(file, "cut in its last line") { Array($0.dropLast(5)) },
            first("a line of half the fields") { [String($0.prefix($0.count / 2))] },
            first("a field too many") { [$0 + ",1"] },
            first("a stray quote") { [$0.replacing(",", with: "x\",", maxReplacements: 1)] },
            first("an open quote") { ["\"" + $0] },
            first("a line twice") { [$0, $0] },
            first("another scenario") { ["other" + $0.drop { $0 != "," }] },
            rows("two columns swapped") { lines in
                let names = lines[0].split(separator: ",")
                return [([names[1], names[0]] + names[2...]).joined(separator: ",")] + lines[1...]
            },
            rows("a column less") { [$0[0].split(separator: ",").dropLast().joined(separator: ",")] + $0[1...] },
            rows("an unknown column") { [$0[0] + ",colour"] + $0[1...].map { $0 + ",red" } },
            cell("beyond 64 bits", "99999999999999999999"), cell("negative", "-1"), cell("no number", "many"),
            cell("not finite", "nan"), cell("empty", ""), cell("a formula", "=1+1"),
        ]
    }

    private static func json(_ file: String, number: String) -> [ResultDamage] {
        func text(_ name: String, _ text: String) -> ResultDamage { bytes(file, name) { _ in Array(text.utf8) } }
        func value(_ name: String, _ value: String) -> ResultDamage {
            bytes(file, "\(number) \(name)") { old in
                let pattern = try? Regex("\"\(number)\" : [^,\\n]+", as: Substring.self)
                guard let pattern else { return old }
                return Array(
                    String(decoding: old, as: UTF8.self).replacing(pattern, with: "\"\(number)\" : \(value)").utf8)
            }
        }
        return general(file) + [
            bytes(file, "cut in half") { Array($0.prefix($0.count / 2)) },
            text("an empty mapping", "{}"), text("a list", "[]"), text("null", "null"),
            text("nested deeply", String(repeating: "[", count: 100_000)),
            bytes(file, "with more behind") { $0 + Array("}".utf8) },
            value("a text", "\"five\""), value("beyond 64 bits", "99999999999999999999"), value("null", "null"),
            value("a list", "[]"), value("not finite", "1e999"),
        ]
    }

    /// Every damage.
    static let all =
        table("trials.csv", number: "repetition") + table("latency.csv", number: "count")
        + table("hit-rate.csv", number: "lookups") + table("memory.csv", number: "repetition")
        + table("timeline.csv", number: "elapsed_ms") + json("run.json", number: "schema_version")
        + json("verdict.json", number: "exit_code") + general("histograms/small.lru.hlog")
        + [bytes("histograms/small.lru.hlog", "counts that are none") { Array($0.dropLast(200)) + [0x41, 0x0A] }]
}

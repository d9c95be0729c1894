import Foundation

@testable import Traces

/// A folder for one test's traces, removed with its last owner.
final class TraceFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("traces-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and returns its path. Every name is used once.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String, as compression: TraceCompression = .none) throws -> String {
        let sink = try compression.sink(into: FileByteSink(path: path(name)))
        try bytes.withUnsafeBytes { try sink.write($0) }
        try sink.finish()
        return path(name)
    }

    @discardableResult
    func write(_ text: String, to name: String, as compression: TraceCompression = .none) throws -> String {
        try write(Array(text.utf8), to: name, as: compression)
    }

    /// The bytes, compressed.
    func packed(_ bytes: [UInt8], as compression: TraceCompression) throws -> [UInt8] {
        let name = "packed-\(UUID().uuidString)"
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: write(bytes, to: name, as: compression))))
    }

    func bytes(of name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    /// The error of reading a trace to its end; `nil` when there is none.
    static func error(
        _ path: String, _ format: TraceFormat? = nil, _ options: TraceReadingOptions = TraceReadingOptions()
    ) -> TraceError? {
        do throws(TraceError) {
            _ = try requests(path, format, options)
            return nil
        } catch { return error }
    }

    /// All requests of a trace.
    static func requests(
        _ path: String, _ format: TraceFormat? = nil, _ options: TraceReadingOptions = TraceReadingOptions()
    ) throws(TraceError) -> [TraceRequest] {
        let reader = try TraceReader(path: path, format: format, options: options)
        var block = TraceBlock()
        var requests: [TraceRequest] = []
        while try reader.read(into: &block) { for index in 0..<block.count { requests.append(block[index]) } }
        return requests
    }
}

/// Bytes of binary traces.
enum Bytes {
    static func oracleGeneral(_ time: UInt32, _ key: UInt64, _ size: UInt32, _ next: Int64) -> [UInt8] {
        littleEndian(time) + littleEndian(key) + littleEndian(size) + littleEndian(next)
    }

    static func cache2k(_ numbers: UInt32...) -> [UInt8] { numbers.flatMap { littleEndian($0.byteSwapped) } }

    static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

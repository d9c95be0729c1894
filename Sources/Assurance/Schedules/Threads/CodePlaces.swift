import CThreadControl
import Foundation
import Races

/// Files and lines of addresses in this process, from `llvm-symbolizer`. It runs only when something is reported.
struct CodePlaces {
    /// A place in source code.
    struct Line: Equatable {
        var function: String
        var file: String
        var line: Int
    }

    /// The places of an address, inlined functions first.
    private var lines: [UInt: [Line]] = [:]

    /// Wrappers: the locks of this package, and the explorer. Their callers are reported instead.
    private static let wrappers = ["/Sources/Assurance/Schedules/", "/Sources/System/Locks/"]
    /// The toolchain's code has no line information.
    private static let strangers = ["/libFoundation", "/libswift", "/libc.so", "/libdispatch", "/libThreadSchedule"]

    /// - Parameter addresses: return addresses; those in this program are looked up.
    init(_ addresses: [UInt]) {
        var byFile: [String: [(address: UInt, offset: UInt)]] = [:]
        for address in Set(addresses) {
            var file: UnsafePointer<CChar>?
            var offset: UInt = 0
            guard thread_schedule_place(address, &file, &offset), let file else { continue }
            let name = String(cString: file)
            guard !Self.strangers.contains(where: { name.contains($0) }) else { continue }
            byFile[name, default: []].append((address, offset))
        }
        guard !byFile.isEmpty, let symbolizer = SanitizerRuntime.symbolizer() else { return }
        for (file, wanted) in byFile {
            // A return address is the one after the call.
            let offsets = wanted.map { "0x" + String($0.offset - 1, radix: 16) }
            guard let answers = Self.ask(symbolizer, file, offsets), answers.count == wanted.count else { continue }
            for (place, answer) in zip(wanted, answers) { lines[place.address] = answer }
        }
    }

    /// Where a step was: the innermost place in code outside the toolchain, and its caller.
    func line(_ frames: [UInt]) -> String {
        let places = frames.lazy.flatMap { lines[$0] ?? [] }.filter { line in
            !Self.wrappers.contains { line.file.contains($0) }
        }
        let named = places.prefix(2).map { "\($0.file.split(separator: "/").last ?? ""):\($0.line)" }
        guard let first = places.first else { return "" }
        let function = places.first { $0.function != "??" }?.function ?? first.function
        return named.joined(separator: " ← ") + " in " + function
    }

    /// - Returns: the places of each offset; `nil` when the symbolizer could not run.
    private static func ask(_ symbolizer: String, _ file: String, _ offsets: [String]) -> [[Line]]? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: symbolizer)
        process.arguments = ["--obj=\(file)", "--output-style=LLVM", "--functions=short"] + offsets
        // The symbolizer must not load the library.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }
        let output = Pipe()
        // A `Process` that has ended keeps its files open.
        defer { try? output.fileHandleForReading.close() }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return read(String(bytes: bytes, encoding: .utf8) ?? "")
    }

    /// The symbolizer's answers. Blocks are separated by empty lines; in each, functions and places alternate. What the
    /// compiler made up, `<compiler-generated>`, is no place.
    static func read(_ text: String) -> [[Line]] {
        text.split(separator: "\n\n", omittingEmptySubsequences: true).map { block in
            let rows = block.split(separator: "\n")
            return stride(from: 0, to: rows.count - 1, by: 2).compactMap { row in
                let parts = rows[row + 1].split(separator: ":")
                guard parts.count >= 3, !rows[row + 1].contains("<compiler-generated>"),
                    let line = Int(parts[parts.count - 2]), line > 0
                else { return nil }
                return Line(
                    function: shortName(String(rows[row])), file: parts.dropLast(2).joined(separator: ":"), line: line)
            }
        }
    }

    /// A function name without its module, its type's parameters and its result.
    private static func shortName(_ name: String) -> String {
        var text = name.split(separator: " -> ").first.map(String.init) ?? name
        for mark in ["closure #1 ", "closure #2 ", "closure #3 "] where text.contains(mark) {
            text = "a closure of " + (text.components(separatedBy: " in ").last ?? text)
        }
        return text
    }
}

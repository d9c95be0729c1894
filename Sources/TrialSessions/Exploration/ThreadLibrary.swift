import Foundation
import TrialModel

/// The library that controls the order of threads. Only a process that explores threads loads it.
enum ThreadLibrary {
    private static let name = "libThreadSchedule.so"

    /// The value of `LD_PRELOAD`: the library, and the libraries already there.
    ///
    /// - Parameter executable: the program, beside which the library was built.
    /// - Throws: ``HarnessError`` when it is missing.
    static func path(
        besides executable: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(HarnessError) -> String {
        let folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
        let path = folder.appendingPathComponent(name).path
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw HarnessError(
                "orders of threads need \(path), which is missing; 'swift build --product ThreadSchedule' makes it beside the "
                    + "program")
        }
        guard !path.contains(where: { $0 == " " || $0 == ":" }) else {
            throw HarnessError("orders of threads need a path without spaces and colons, and \(path) has some; move it")
        }
        let others = environment["LD_PRELOAD"].map { $0.isEmpty ? [] : [$0] } ?? []
        return ([path] + others).joined(separator: ":")
    }
}

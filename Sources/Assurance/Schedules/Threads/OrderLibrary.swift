package import Foundation

/// The library that orders threads, beside a program.
package enum OrderLibrary {
    /// Why it can't be loaded.
    package struct Absence: Error {
        package let reason: String
    }

    /// - Returns: the value of `LD_PRELOAD`, with the libraries already there.
    package static func preload(
        from folder: URL?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Result<String, Absence> {
        guard let path = folder?.appendingPathComponent("libThreadSchedule.so").path,
            FileManager.default.isReadableFile(atPath: path)
        else {
            return .failure(
                Absence(
                    reason: "interleavings of threads need a library; "
                        + "'swift build --product ThreadSchedule' puts it in the folder of the tests"))
        }
        // The loader takes both for the end of the path.
        guard !path.contains(where: { $0 == " " || $0 == ":" }) else {
            return .failure(
                Absence(
                    reason: "interleavings of threads need a path without spaces and colons, and \(path) has some"))
        }
        let others = environment["LD_PRELOAD"].flatMap { $0.isEmpty ? nil : ":\($0)" } ?? ""
        return .success(path + others)
    }
}

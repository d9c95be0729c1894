import Foundation
import TrialModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The seed of the schedule that a process runs, in a file that outlives the process, so that the seed of a crash is
/// known. It takes half a microsecond for each schedule.
final class SeedMark {
    private let descriptor: Int32

    /// - Throws: ``HarnessError`` when the file can't be made.
    init(creating path: String) throws(HarnessError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HarnessError("can't write \(path); free some space there, or set TMPDIR to another folder")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Writes a seed; `nil` when no schedule of the plan runs any more.
    func set(_ seed: UInt64?) {
        guard let seed else {
            ftruncate(descriptor, 0)
            return
        }
        withUnsafeBytes(of: seed.littleEndian) { bytes in
            // A mark that can't be written is missed only when the process dies; its seed is then reported as unknown.
            _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
        }
    }

    /// The seed that a process left; `nil` when it ran no schedule of the plan.
    static func read(_ path: String) -> UInt64? {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count == 8 else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

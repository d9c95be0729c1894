import Foundation
import Measurement

extension Nanoclock {
    /// Blocks the calling thread, which must be one of the harness's own.
    static func sleep(nanoseconds: UInt64) {
        Thread.sleep(forTimeInterval: Double(nanoseconds) / 1e9)
    }
}

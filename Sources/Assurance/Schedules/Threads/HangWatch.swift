import CThreadControl
import Foundation

/// Ends an exploration of threads that takes no step any more: a call that the exploration does not control waits for a
/// thread that can't continue, or code waits in a loop. It works on a thread of its own, in real time.
package enum HangWatch {
    /// How often it looks, and after how many looks without a step it reports. A computer that was suspended counts as
    /// one look.
    private static let interval = 0.5
    private static let looksMax = 12

    /// Begins to watch, if this process has loaded the library `ThreadSchedule`.
    ///
    /// - Parameter report: receives what the thread does that hangs, once, and ends the process.
    package static func begin(report: @escaping @Sendable (String) -> Never) {
        guard let library = thread_schedule_find()?.pointee else { return }
        let (progress, look) = (library.progress, library.look)
        let thread = Thread {
            var last: UInt64 = 0
            var looks = 0
            while true {
                Thread.sleep(forTimeInterval: interval)
                var runs = false
                let steps = progress?(&runs) ?? 0
                looks = runs && steps == last ? looks + 1 : 0
                last = steps
                guard looks == looksMax else { continue }
                var frames = [UInt](repeating: 0, count: Int(thread_frames_max) * 2)
                let count = look?(&frames, frames.count) ?? 0
                report(text(Array(frames.prefix(count))))
            }
        }
        thread.name = "watch"
        thread.start()
    }

    /// What a thread does, from its frames, innermost first.
    static func text(_ frames: [UInt]) -> String {
        let places = CodePlaces(frames)
        // The first place is called by the strategy; it may be in a library, which has no lines.
        let inner = frames.prefix { places.line([$0]).isEmpty }
        let line = places.line(Array(frames.dropFirst(inner.count)))
        let what =
            if let first = frames.first, thread_schedule_is_kernel_call(first), inner.isEmpty {
                "waits in a system call of its own"
            } else if let name = inner.reversed().lazy.compactMap(function(at:)).first {
                "waits in \(name)"
            } else {
                "runs in a loop"
            }
        return "a thread \(what)" + (line.isEmpty ? "" : " (\(line))")
            + " and takes no step in \(Int(interval * Double(looksMax))) s; its interleaving with other threads can't be controlled"
    }

    private static func function(at address: UInt) -> String? {
        var name: UnsafePointer<CChar>?
        // A return address is after the call, possibly in the next function.
        guard thread_schedule_function(address - 1, &name), let name else { return nil }
        return String(cString: name)
    }
}

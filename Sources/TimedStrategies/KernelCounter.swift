import CSpans
import Foundation
import Platform

/// An event that the kernel can count, by the numbers of `perf_event_open(2)`.
package struct CounterEvent: Codable, Hashable, Sendable {
    package var type: UInt32
    package var number: UInt64

    package init(type: UInt32, number: UInt64) {
        self.type = type
        self.number = number
    }

    /// `PERF_COUNT_HW_INSTRUCTIONS`: instructions that the processor has executed.
    package static let instructions = CounterEvent(type: 0, number: 1)
    /// `PERF_COUNT_SW_TASK_CLOCK`: nanoseconds on a processor. Every kernel supports it, so tests can use it.
    package static let taskClock = CounterEvent(type: 1, number: 1)

    /// Checks that the kernel counts the event on this machine.
    ///
    /// - Throws: ``KernelCounterError`` when the kernel does not count it.
    package func check() throws(KernelCounterError) {
        let counter = try KernelCounter(self)
        guard let reading = KernelCounter.read(counter.descriptor), reading.value > 0 else { throw .silent }
    }
}

/// A counter of one thread, which counts user space only, from its creation until it is released.
///
/// ```swift
/// let counter = try KernelCounter(.instructions)
/// let before = KernelCounter.read(counter.descriptor)
/// ```
final class KernelCounter: Sendable {
    let descriptor: CInt

    /// - Parameters:
    ///   - thread: the kernel's number of the thread; 0 for the calling thread.
    ///   - inherits: whether threads that the thread starts are included.
    init(_ event: CounterEvent, thread: CInt = 0, inherits: Bool = false) throws(KernelCounterError) {
        descriptor = cache_trials_counter_open(event.type, event.number, thread, inherits)
        if descriptor < 0 { throw .refused(errno: -descriptor) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Reads a counter; `nil` when it cannot be read. Never inlined, so that every call takes the same number of
    /// instructions.
    @inline(never)
    static func read(_ descriptor: CInt) -> cache_trials_reading? {
        var reading = cache_trials_reading()
        return cache_trials_counter_read(descriptor, &reading) ? reading : nil
    }
}

/// Why the kernel cannot count.
package enum KernelCounterError: Error, CustomStringConvertible {
    /// The kernel does not open the counter.
    case refused(errno: CInt)
    /// The kernel opens a counter that stays at 0, as on some virtual machines.
    case silent

    package var description: String {
        switch self {
        case .refused(ENOENT), .refused(ENODEV), .refused(EOPNOTSUPP):
            return "the machine, or its hypervisor, has no counter of instructions"
        case .refused(EACCES), .refused(EPERM):
            return Self.refusal(level: try? String(contentsOfFile: Self.levelPath, encoding: .utf8))
        case .refused(ENOSYS): return "the system has no perf_event_open, which only Linux has"
        case .refused(let number): return "perf_event_open fails: \(String(cString: strerror(number)))"
        case .silent: return "the machine, or its hypervisor, has a counter of instructions that stays at 0"
        }
    }

    private static let levelPath = "/proc/sys/kernel/perf_event_paranoid"

    /// Why the counter is not allowed, by the value of `kernel.perf_event_paranoid`.
    static func refusal(level: String?) -> String {
        guard let level = level.flatMap({ Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) else {
            return "the kernel does not allow perf_event_open"
        }
        guard level > 2 else {
            return "the kernel does not allow perf_event_open, although kernel.perf_event_paranoid is \(level): a "
                + "container's seccomp profile may forbid it"
        }
        return "kernel.perf_event_paranoid is \(level): 'sysctl kernel.perf_event_paranoid=2' or lower allows it"
    }
}

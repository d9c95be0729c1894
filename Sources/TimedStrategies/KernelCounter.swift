import CSpans
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the kernel can count, in the numbers of `perf_event_open(2)`.
package struct CounterEvent: Codable, Hashable, Sendable {
    package var type: UInt32
    package var number: UInt64

    package init(type: UInt32, number: UInt64) {
        self.type = type
        self.number = number
    }

    /// `PERF_COUNT_HW_INSTRUCTIONS`: instructions that the processor has carried out.
    package static let instructions = CounterEvent(type: 0, number: 1)
    /// `PERF_COUNT_SW_TASK_CLOCK`: nanoseconds on a processor. Every kernel counts it, so that tests have something to count.
    package static let taskClock = CounterEvent(type: 1, number: 1)

    /// Whether the kernel counts it here.
    ///
    /// - Throws: why it does not.
    package func check() throws(KernelCounterError) {
        let counter = try KernelCounter(self)
        guard let reading = KernelCounter.read(counter.descriptor), reading.value > 0 else { throw .silent }
    }
}

/// A counter of one thread, which counts user space alone, from now on until nothing refers to it.
///
/// ```swift
/// let counter = try KernelCounter(.instructions)
/// let before = KernelCounter.read(counter.descriptor)
/// ```
final class KernelCounter: Sendable {
    let descriptor: CInt

    /// - Parameters:
    ///   - thread: the kernel's number of it; 0 for the calling one.
    ///   - inherits: whether threads that it starts are counted with it.
    init(_ event: CounterEvent, thread: CInt = 0, inherits: Bool = false) throws(KernelCounterError) {
        descriptor = cache_trials_counter_open(event.type, event.number, thread, inherits)
        if descriptor < 0 { throw .refused(errno: -descriptor) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// What a counter says; `nil` where it can't be read. Never inlined, so that it takes as many instructions everywhere.
    @inline(never)
    static func read(_ descriptor: CInt) -> cache_trials_reading? {
        var reading = cache_trials_reading()
        return cache_trials_counter_read(descriptor, &reading) ? reading : nil
    }
}

/// Why the kernel does not count.
package enum KernelCounterError: Error, CustomStringConvertible {
    /// It opens no counter.
    case refused(errno: CInt)
    /// It opens one that stays at 0, as some virtual machines do.
    case silent

    package var description: String {
        switch self {
        case .refused(ENOENT), .refused(ENODEV), .refused(EOPNOTSUPP):
            return "the machine, or its hypervisor, gives no counter of instructions"
        case .refused(EACCES), .refused(EPERM):
            return Self.refusal(level: try? String(contentsOfFile: Self.levelPath, encoding: .utf8))
        case .refused(ENOSYS): return "the system has no perf_event_open, which is Linux's"
        case .refused(let number): return "perf_event_open fails: \(String(cString: strerror(number)))"
        case .silent: return "the machine, or its hypervisor, gives a counter of instructions that stays at 0"
        }
    }

    private static let levelPath = "/proc/sys/kernel/perf_event_paranoid"

    /// Why it is not allowed, by what `kernel.perf_event_paranoid` is set to.
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

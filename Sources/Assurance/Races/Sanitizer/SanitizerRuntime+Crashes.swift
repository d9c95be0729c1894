import Platform
import Synchronization

/// The deadly signal in which a thread is held up; 0 when there is none. Relaxed ordering, so that it orders nothing.
private let heldUpSignal = Atomic<Int32>(0)

extension SanitizerRuntime {
    /// Delays a crash until a report that is being written is complete.
    ///
    /// Looking up the names for a report takes a tenth of a second, during which the other threads continue. The damage
    /// of the race then often kills the process, and loses the report. After this call, a thread that gets a deadly
    /// signal waits for two seconds first. The process still dies of that signal, even if it ends in the meantime,
    /// provided that it calls ``dieOfHeldUpCrash()`` at its end.
    package static func holdUpCrashes() {
        // It is initialised now, because a signal handler must not initialise anything.
        heldUpSignal.store(0, ordering: .relaxed)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
            // The handler only calls functions that are allowed in a signal handler.
            handleSignal(number) { number in
                heldUpSignal.store(number, ordering: .relaxed)
                var pause = timespec(tv_sec: 2, tv_nsec: 0)
                nanosleep(&pause, nil)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Ends the process by the signal in which a thread is held up, if there is one.
    package static func dieOfHeldUpCrash() {
        let number = heldUpSignal.load(ordering: .relaxed)
        guard number != 0 else { return }
        signal(number, SIG_DFL)
        raise(number)
    }
}

import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The deadly signal that some thread is held up in; 0 when there is none. Relaxed, so that it orders nothing.
private let heldUpSignal = Atomic<Int32>(0)

extension SanitizerRuntime {
    /// Lets a report that is being written come to its end before a crash ends the process.
    ///
    /// Looking up the names for a report takes a tenth of a second, in which the other threads go on; what the race has
    /// damaged then often kills the process, and the report with it. From now on a thread that gets a deadly signal
    /// waits for two seconds first. The process still dies of that signal, also when it would have ended meanwhile, as
    /// long as it calls ``dieOfHeldUpCrash()`` at its end.
    package static func holdUpCrashes() {
        // Made now, because a signal handler must not initialise anything.
        heldUpSignal.store(0, ordering: .relaxed)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
            var action = sigaction()
            // Only functions that may be called in a signal handler.
            let handler: @convention(c) (Int32) -> Void = { number in
                heldUpSignal.store(number, ordering: .relaxed)
                var pause = timespec(tv_sec: 2, tv_nsec: 0)
                nanosleep(&pause, nil)
                signal(number, SIG_DFL)
                raise(number)
            }
            #if canImport(Darwin)
                action.__sigaction_u.__sa_handler = handler
            #else
                action.__sigaction_handler.sa_handler = handler
            #endif
            sigaction(number, &action, nil)
        }
    }

    /// Ends the process by the signal that a thread is held up in, if there is one.
    package static func dieOfHeldUpCrash() {
        let number = heldUpSignal.load(ordering: .relaxed)
        guard number != 0 else { return }
        signal(number, SIG_DFL)
        raise(number)
    }
}

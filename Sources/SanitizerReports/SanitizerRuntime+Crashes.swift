#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension SanitizerRuntime {
    /// Lets a report that is being written come to its end before a crash ends the process.
    ///
    /// Looking up the names for a report takes a tenth of a second, in which the other threads go on; what the race has
    /// damaged then often kills the process, and the report with it. From now on a thread that gets a deadly signal
    /// waits for two seconds first. The process still dies of that signal.
    package static func holdUpCrashes() {
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
            var action = sigaction()
            // Only functions that may be called in a signal handler. Once it has returned, the signal comes again.
            let handler: @convention(c) (Int32) -> Void = { number in
                var pause = timespec(tv_sec: 2, tv_nsec: 0)
                nanosleep(&pause, nil)
                signal(number, SIG_DFL)
            }
            #if canImport(Darwin)
                action.__sigaction_u.__sa_handler = handler
            #else
                action.__sigaction_handler.sa_handler = handler
            #endif
            sigaction(number, &action, nil)
        }
    }
}

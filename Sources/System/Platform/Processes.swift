extension rusage {
    /// What all threads of this process have used; zeros when unknown.
    package static func ofThisProcess() -> rusage { of(RUSAGE_SELF) }

    /// What all ended child processes have used that this process waited for; zeros when unknown.
    package static func ofEndedChildren() -> rusage { of(RUSAGE_CHILDREN) }

    #if canImport(Glibc)
        private static func of(_ processes: __rusage_who) -> rusage { of(processes.rawValue) }
    #endif

    private static func of(_ processes: Int32) -> rusage {
        var usage = rusage()
        return getrusage(processes, &usage) == 0 ? usage : rusage()
    }

    /// The most memory that was resident at one time, in bytes; `nil` when unknown.
    package var residentBytesMax: UInt64? {
        // Darwin counts bytes, Linux KiB.
        ru_maxrss > 0 ? UInt64(ru_maxrss) &* (isDarwin ? 1 : 1024) : nil
    }
}

/// Whether the caller runs on the process's main thread.
package func isMainThread() -> Bool {
    #if canImport(Darwin)
        return pthread_main_np() == 1
    #else
        // On Linux, the main thread has the number of the process.
        var link = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &link, link.count)
        let thread = link.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
        return String(decoding: thread, as: UTF8.self) == "\(getpid())/task/\(getpid())"
    #endif
}

/// From now on, a write to a pipe that nothing reads is an error for its caller, and does not end this process. The child may
/// have ended, or the reader was `head`.
package func failWritesToBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

/// Runs a handler when a signal arrives, on the thread that gets it.
package func handleSignal(_ number: Int32, with handler: @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = handler
    #else
        action.__sigaction_handler.sa_handler = handler
    #endif
    sigaction(number, &action, nil)
}

/// What a signal does in this process, to be restored later.
package struct SignalAction {
    private let number: Int32
    private let action: sigaction

    /// What the signal does now.
    package init(of number: Int32) {
        self.number = number
        var action = sigaction()
        sigaction(number, nil, &action)
        self.action = action
    }

    /// Whether the signal does nothing, as `nohup` wants it.
    package var isIgnored: Bool {
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // Functions can't be compared.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// From now on, the signal does this again.
    package func restore() {
        var action = action
        sigaction(number, &action, nil)
    }
}

/// Makes a signal reach the `DispatchSource` that the caller creates for it, and do nothing else.
package func leaveSignalToSource(_ number: Int32) {
    #if canImport(Darwin)
        // A source gets a signal on Darwin only when nothing else handles it. On Linux a source has a handler of its own;
        // there every child would inherit the ignored signal.
        signal(number, SIG_IGN)
    #endif
}

#if canImport(Darwin)
    /// What `posix_spawn` does with files before the program starts.
    package typealias SpawnFileActions = posix_spawn_file_actions_t?
    /// What a program that `posix_spawn` starts has of its own.
    package typealias SpawnAttributes = posix_spawnattr_t?
#else
    /// What `posix_spawn` does with files before the program starts.
    package typealias SpawnFileActions = posix_spawn_file_actions_t
    /// What a program that `posix_spawn` starts has of its own.
    package typealias SpawnAttributes = posix_spawnattr_t
#endif

/// The flag of `posix_spawn` that closes all files that no action opens; 0 where the system has none.
package var spawnClosesFiles: Int32 {
    #if canImport(Darwin)
        POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
        0
    #endif
}

/// Calls a body with settings for `posix_spawn`, which change nothing yet.
package func withSpawnSettings<Result>(
    _ body: (inout SpawnFileActions, inout SpawnAttributes) -> Result
) -> Result {
    #if canImport(Darwin)
        var actions: SpawnFileActions = nil
        var attributes: SpawnAttributes = nil
    #else
        var actions = SpawnFileActions()
        var attributes = SpawnAttributes()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    return body(&actions, &attributes)
}

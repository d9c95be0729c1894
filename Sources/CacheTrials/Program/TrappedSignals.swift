import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Signals as values, instead of their default action.
struct TrappedSignals {
    /// The signals that arrive until ``release()``.
    let numbers: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// The signals that end a program, trapped from now on.
    static var interruptions: TrappedSignals {
        if let signals = Surroundings.current?.signals { return TrappedSignals(scripted: signals) }
        return TrappedSignals(SIGINT, SIGTERM, SIGHUP)
    }

    private init(scripted numbers: AsyncStream<Int32>) {
        self.numbers = numbers
        sources = []
    }

    init(_ trapped: Int32...) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let queue = DispatchQueue(label: "cache-trials.signals")
        numbers = stream
        // A source is registered by another thread; until then a signal would end the process.
        let registered = DispatchSemaphore(value: 0)
        sources = trapped.map { number in
            #if canImport(Darwin)
                // A source gets a signal on Darwin only when nothing else handles it. On Linux a source has a handler
                // of its own; there every child would inherit the ignored signal.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield(number) }
            source.setRegistrationHandler { registered.signal() }
            source.setCancelHandler { signal(number, SIG_DFL) }
            source.activate()
            return source
        }
        for _ in sources { registered.wait() }
    }

    /// Restores the default action of the signals.
    func release() {
        for source in sources { source.cancel() }
    }
}

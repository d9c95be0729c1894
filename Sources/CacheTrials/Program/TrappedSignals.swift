import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Signals as values, in place of what they do by default.
struct TrappedSignals {
    /// Those that arrive until ``release()``.
    let numbers: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// Those that end a program, trapped from now on.
    static var interruptions: TrappedSignals { TrappedSignals(SIGINT, SIGTERM, SIGHUP) }

    init(_ trapped: Int32...) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let queue = DispatchQueue(label: "cache-trials.signals")
        numbers = stream
        sources = trapped.map { number in
            #if canImport(Darwin)
                // There a source hears of a signal only where nothing else handles it. On Linux it has a handler of its
                // own; to ignore the signal there would be inherited by every child.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield(number) }
            source.setCancelHandler { signal(number, SIG_DFL) }
            source.activate()
            return source
        }
    }

    /// Lets the signals do again what they do by default.
    func release() {
        for source in sources { source.cancel() }
    }
}

import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Signals as values, in place of what they do by default.
enum TrappedSignals {
    /// The signals that arrive from now on, until the reader's task is cancelled; from then on they do again what they do
    /// by default.
    static func stream(of numbers: Int32...) -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let queue = DispatchQueue(label: "cache-trials.signals")
        let sources = numbers.map { number in
            #if canImport(Darwin)
                // There a source hears of a signal only where nothing else handles it; on Linux it has a handler of its
                // own. Ignoring it there as well would be inherited by every child.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield(number) }
            source.setCancelHandler { signal(number, SIG_DFL) }
            source.activate()
            return source
        }
        continuation.onTermination = { _ in for source in sources { source.cancel() } }
        return stream
    }
}

import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Stands next to the socket and sends bytes past the HTTP encoder, for answers that HTTP doesn't allow.
final class RawWriter: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Touched on the event loop alone.
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    private func send(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.alreadyClosed) }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
    }

    /// Puts a writer into a connection's pipeline. From here on nothing else may be sent but by ``write(_:to:)``.
    static func install(in channel: any Channel) async throws {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(RawWriter(), position: .first)
        }.get()
    }

    /// Sends bytes as they are, and waits until the socket has taken them.
    static func write(_ bytes: ByteBuffer, to channel: any Channel) async throws {
        try await channel.eventLoop.flatSubmit {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            do {
                try channel.pipeline.syncOperations.handler(type: RawWriter.self).send(bytes, promise)
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }.get()
    }

    /// Closes a connection.
    ///
    /// - Parameter resetting: with a reset instead of an end, which throws away what the peer has not read.
    static func close(_ channel: any Channel, resetting: Bool) async {
        if resetting, let socket = channel as? any SocketOptionProvider {
            try? await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close().get()
    }
}

import CacheServers
import Locks
import NIOCore
import NIOPosix

/// A proxy in front of a server that a test cuts and mends: while it is cut, open connections are closed, and new
/// ones are closed at once.
final class BreakableLine: Sendable {
    private struct State {
        var isCut = false
        var channels: [any Channel] = []
    }

    let address: ServerAddress
    private let listener: any Channel
    private let state: Locked<State>

    init(to server: ServerAddress) throws {
        let state = Locked(State())
        listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let isCut: Bool = state.withLock { state in
                    state.channels.append(channel)
                    return state.isCut
                }
                if isCut { return channel.close() }
                return ClientBootstrap(group: channel.eventLoop).connect(host: server.host, port: server.port)
                    .flatMapThrowing { other in
                        try other.pipeline.syncOperations.addHandler(Forwarding(to: channel))
                        try channel.pipeline.syncOperations.addHandler(Forwarding(to: other))
                    }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        address = ServerAddress(host: "127.0.0.1", port: listener.localAddress?.port ?? 0)
        self.state = state
    }

    deinit { listener.close(promise: nil) }

    /// Ends all connections, and waits until they have ended.
    func cut() {
        let channels = state.withLock { state in
            state.isCut = true
            let channels = state.channels
            state.channels = []
            return channels
        }
        for channel in channels { try? channel.close().wait() }
    }

    /// Accepts connections again.
    func mend() { state.withLock { $0.isCut = false } }

    private final class Forwarding: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
    }
}

import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import CacheServers

/// Real programs that tests start; a test without its program is skipped with a reason.
enum Programs {
    static let hasRedis = LocalServer.path(of: "redis-server") != nil
    static let hasMemcached = LocalServer.path(of: "memcached") != nil

    static func start(_ program: LocalServer.Program) throws -> LocalServer {
        try LocalServer(program, in: FileManager.default.temporaryDirectory)
    }
}

extension RESPValue {
    /// The number of an integer; `nil` for other values.
    var integer: Int? { if case .integer(let value) = self { value } else { nil } }
}

/// A server that answers as the test scripts it: bytes for every chunk it reads; `nil` closes the connection.
final class ScriptedServer: Sendable {
    let address: ServerAddress
    private let channel: any Channel

    init(answer: @escaping @Sendable (String) -> String?) throws {
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        address = ServerAddress(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
    }

    deinit { channel.close(promise: nil) }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        let answer: @Sendable (String) -> String?

        init(_ answer: @escaping @Sendable (String) -> String?) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let text = answer(String(buffer: unwrapInboundIn(data))) else {
                return context.close(promise: nil)
            }
            if !text.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil) }
        }
    }
}

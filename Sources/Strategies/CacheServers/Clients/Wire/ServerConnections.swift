/// The client side of a server: a few connections, with many requests in flight on each.
///
/// When the server is gone, its requests fail with an error; the next request connects anew.
struct ServerConnections<Decoder: ReplyDecoder>: Sendable {
    let all: [PipelinedConnection<Decoder>]

    init(to address: ServerAddress, count: Int, timeLimit: Duration, greeting: Greeting<Decoder.Reply>?) {
        all = (0..<max(count, 1)).map { _ in
            PipelinedConnection(to: address, timeLimit: timeLimit, greeting: greeting)
        }
    }

    /// The connection for requests without a key.
    var first: PipelinedConnection<Decoder> { all[0] }

    /// Always the same connection for one key, so that its requests are executed in order.
    func connection(for key: some Sequence<UInt8>) -> PipelinedConnection<Decoder> {
        // FNV-1a, 64 bits: the same in every process, unlike `Hasher`.
        let hash = key.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return all[Int((hash >> 32) % UInt64(all.count))]
    }

    /// Ends all connections. Every caller that waits gets an error.
    func close() {
        for connection in all { connection.close() }
    }
}

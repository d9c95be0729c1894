import NIOCore
import NIOHTTP1
import Origins

/// A request as it came.
struct IncomingRequest: Sendable {
    let head: HTTPRequestHead
    private(set) var body = ByteBuffer()
    /// Whether there was more of the body than is kept.
    private(set) var isTooLong = false

    init(_ head: HTTPRequestHead) {
        self.head = head
    }

    /// Takes a part of the body, as long as there is room.
    mutating func append(_ part: ByteBuffer, byteCountMax: Int) {
        guard !isTooLong else { return }
        if body.readableBytes + part.readableBytes <= byteCountMax {
            body.writeImmutableBuffer(part)
        } else {
            isTooLong = true
            body = ByteBuffer()
        }
    }

    /// Whether another request may follow. After one that asks for another protocol, NIO's decoder reads no more.
    var keepsAlive: Bool {
        head.isKeepAlive && head.version == .http1_1 && head.method != .CONNECT
            && !head.headers.contains(name: "upgrade")
    }

    /// What was asked for.
    func route() throws(OriginRoute.Mistake) -> OriginRoute {
        var path = head.uri[...]
        // Proxies are asked with the whole address, and any server has to understand that.
        if path.hasPrefix("http://") {
            let address = path.utf8.dropFirst("http://".utf8.count)
            path = path[(address.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex)...]
        }
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return try OriginRoute(path: String(path), query: nil)
        }
        return try OriginRoute(path: String(path[..<mark]), query: String(path[path.utf8.index(after: mark)...]))
    }
}

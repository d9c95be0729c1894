import NIOCore
import NIOHTTP1
import Origins

/// A request as it was received.
struct IncomingRequest: Sendable {
    let head: HTTPRequestHead
    private(set) var body = ByteBuffer()
    /// Whether the body exceeded the limit of what is kept.
    private(set) var isTooLong = false

    init(_ head: HTTPRequestHead) {
        self.head = head
    }

    /// Appends a part of the body, up to the limit.
    mutating func append(_ part: ByteBuffer, byteCountMax: Int) {
        guard !isTooLong else { return }
        if body.readableBytes + part.readableBytes <= byteCountMax {
            body.writeImmutableBuffer(part)
        } else {
            isTooLong = true
            body = ByteBuffer()
        }
    }

    /// Whether another request may follow. After a request to switch protocols, NIO's decoder reads no more.
    var keepsAlive: Bool {
        head.isKeepAlive && head.version == .http1_1 && head.method != .CONNECT
            && !head.headers.contains(name: "upgrade")
    }

    /// The requested route.
    func route() throws(OriginRoute.Mistake) -> OriginRoute {
        var path = head.uri[...]
        // A request to a proxy has the whole address, and every server must accept that form.
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

import Foundation
import Hummingbird
import Payloads
import TrialModel

extension Response {
    /// `x-version`, the version of the payload. The type is named by way of `HTTPFields`, because the module it comes
    /// from is no direct dependency.
    private static let versionField = HTTPFields.Element.Name("x-version")

    /// An encoded payload.
    static func payload(_ body: ByteBuffer, type: String, version: UInt64) -> Response {
        var response = Response(status: .ok, body: ResponseBody(byteBuffer: body))
        response.headers[.contentType] = type
        if let versionField { response.headers[versionField] = String(version) }
        return response
    }

    /// The lines of a header that ``payload(_:type:version:)`` has, but for the body's length.
    static func fields(_ trial: FixtureTrial, _ ticket: RequestLedger.Ticket) -> String {
        "content-type: \(trial.contentType)\r\nx-version: \(ticket.version)\r\n"
    }

    /// An answer that says itself that it is none.
    static func fault(_ kind: OriginFaultKind, status: Int, route: OriginRoute) -> Response {
        guard kind != .noContent else { return Response(status: .noContent) }
        var response = text(.init(code: status), "the scenario's fault \(kind.rawValue)")
        switch kind {
        case .redirectLoop: response.headers[.location] = route.path
        case .tooManyRequests, .unavailable: response.headers[.retryAfter] = "1"
        default: break
        }
        return response
    }

    /// A line of text, or several.
    static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.hasSuffix("\n") ? text : text + "\n"))
        )
    }

    static func unknownTrial(_ id: String) -> Response {
        .text(.notFound, "no trial '\(id)' is registered; PUT /trials/\(id) registers it")
    }

    static func json(_ value: some Encodable) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value)))
        )
    }

    /// A table, sent in pieces.
    static func csv(_ table: OriginLogTable) -> Response {
        let body = ResponseBody { writer in
            for piece in table.pieces() {
                try await writer.write(ByteBuffer(string: piece))
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/csv; charset=utf-8; header=present"], body: body)
    }
}

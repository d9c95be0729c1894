import Foundation
import NIOCore
import NIOHTTP1
import Origins
import TrialModel

/// An answer to a request that is valid HTTP; see ``FaultyAnswer`` for the others.
struct Answer: Sendable {
    enum Body: Sendable {
        case bytes(ByteBuffer)
        /// A table that is sent in pieces, each with its size.
        case table(OriginLogTable)
    }

    let status: HTTPResponseStatus
    var fields: HTTPHeaders = [:]
    var body = Body.bytes(ByteBuffer())

    /// An encoded payload.
    static func payload(_ body: ByteBuffer, of load: Load) -> Answer {
        Answer(
            status: .ok,
            fields: ["content-type": load.trial.contentType, "x-version": String(load.ticket.version)],
            body: .bytes(body))
    }

    /// An error answer that a fault of the scenario causes.
    static func fault(_ kind: OriginFaultKind, status: Int, route: OriginRoute) -> Answer {
        guard kind != .noContent else { return Answer(status: .noContent) }
        var answer = text(.init(statusCode: status), "the scenario's fault \(kind.rawValue)")
        switch kind {
        case .redirectLoop: answer.fields.add(name: "location", value: route.path)
        case .tooManyRequests, .unavailable: answer.fields.add(name: "retry-after", value: "1")
        default: break
        }
        return answer
    }

    /// An answer of one or more lines of text.
    static func text(_ status: HTTPResponseStatus, _ text: String) -> Answer {
        Answer(
            status: status, fields: ["content-type": "text/plain; charset=utf-8"],
            body: .bytes(ByteBuffer(string: text.hasSuffix("\n") ? text : text + "\n")))
    }

    static func unknownTrial(_ id: String) -> Answer {
        .text(.notFound, "no trial '\(id)' is registered; PUT /trials/\(id) registers it")
    }

    static func json(_ value: some Encodable) -> Answer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            let body = ByteBuffer(bytes: try encoder.encode(value))
            return Answer(status: .ok, fields: ["content-type": "application/json"], body: .bytes(body))
        } catch {
            return .text(.internalServerError, "\(error)")
        }
    }

    static func csv(_ table: OriginLogTable) -> Answer {
        Answer(
            status: .ok, fields: ["content-type": "text/csv; charset=utf-8; header=present"], body: .table(table))
    }
}

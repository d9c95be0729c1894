import Foundation
import Hummingbird
import NIOCore
import Payloads
import TrialModel

/// What a response needs to know of its request: the connection, whose event loop holds the answer back.
struct FixtureContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
    }
}

/// Answers every request. Hand-written routing: five routes, and a value is asked for tens of thousands of times a
/// second.
struct FixtureResponder: HTTPResponder {
    typealias Context = FixtureContext

    let registry: TrialRegistry
    let bodyByteCountMax: Int

    func respond(to request: Request, context: FixtureContext) async throws -> Response {
        let arrival = MonotonicTime.now
        let route: OriginRoute
        do {
            route = try OriginRoute(path: request.uri.path, query: request.uri.query)
        } catch {
            return .text(error.isUnknown ? .notFound : .badRequest, error.text)
        }
        switch (route, request.method) {
        case (.value(let id, let key, let phase), .get):
            guard let trial = registry.trial(id) else { return .unknownTrial(id) }
            return await value(key, of: trial, phase: phase, arrival: arrival, channel: context.channel)
        case (.trial(let id), .put): return await register(id, request)
        case (.trial(let id), .delete): return registry.remove(id) ? Response(status: .noContent) : .unknownTrial(id)
        case (.log(let id, let phase), .get):
            guard let trial = registry.trial(id) else { return .unknownTrial(id) }
            return try .json(trial.log(phase: phase))
        case (.entries(let id, let phase), .get):
            guard let trial = registry.trial(id) else { return .unknownTrial(id) }
            return .csv(OriginLogTable(entries: trial.entries, phase: phase))
        case (.help, .get): return .text(.ok, HelpPage.text)
        default: return .text(.methodNotAllowed, "\(request.method) is not for this; GET / lists what is")
        }
    }

    private func value(
        _ key: UInt64, of trial: FixtureTrial, phase: UInt16, arrival: UInt64, channel: any Channel
    ) async -> Response {
        let ticket = trial.begin(key: key, phase: phase, at: arrival)
        let fault = trial.fault(ticket)
        let due = trial.due(ticket, fault)
        do {
            let body = try await encode(ticket, fault, of: trial, channel: channel)
            let isLate = due > arrival && due < .max && MonotonicTime.now > due + 1_000_000
            if due > arrival, try await !AnswerTimer.wait(on: channel, until: Self.deadline(due)) {
                return abandon(ticket, fault, of: trial)
            }
            if let fault, let answer = FaultyAnswer(fault, body: body, fields: Response.fields(trial, ticket)) {
                let ending: RequestEnding = fault.kind.isFailure ? .failed : .answered
                let isSent = await answer.send(on: channel) { trial.end(ticket, ending, fault: fault.kind) }
                // The connection is closed; nobody sees this response.
                return isSent ? Response(status: .ok) : abandon(ticket, fault, of: trial)
            }
            // Noted before the answer is sent: what its caller asks for next does not overlap with it.
            if let kind = fault?.kind, let status = kind.status {
                trial.end(ticket, .failed, fault: kind)
                return .fault(kind, status: status, route: .value(trial: trial.id, key: key, phase: phase))
            }
            trial.end(ticket, fault?.kind.isFailure == true ? .failed : .answered, fault: fault?.kind, isLate: isLate)
            return .payload(body, type: trial.contentType, version: ticket.version)
        } catch {
            trial.end(ticket, .failed, fault: fault?.kind)
            return .text(.internalServerError, "key \(key): \(error)")
        }
    }

    /// A time that is never reached is one at which no answer comes.
    private static func deadline(_ due: UInt64) -> NIODeadline {
        due == .max ? .distantFuture : .uptimeNanoseconds(due)
    }

    private func abandon(
        _ ticket: RequestLedger.Ticket, _ fault: OriginFault?, of trial: FixtureTrial
    ) -> Response {
        trial.end(ticket, .abandoned, fault: fault?.kind)
        return Response(status: .init(code: Int(RequestEnding.abandoned.rawValue)))
    }

    /// The body of an answer, with what its fault does to it.
    private func encode(
        _ ticket: RequestLedger.Ticket, _ fault: OriginFault?, of trial: FixtureTrial, channel: any Channel
    ) async throws -> ByteBuffer {
        let (key, version) = ticket.answered(fault?.kind)
        let template = try await trial.template(key)
        var body = channel.allocator.buffer(capacity: template.encodedByteCountMax)
        template.write(version: version) { body.writeBytes($0) }
        if fault?.kind == .flippedBit {
            let bit = trial.faultDetail(ticket, below: body.readableBytes * 8)
            if let byte = body.getInteger(at: body.readerIndex + bit / 8, as: UInt8.self) {
                body.setInteger(byte ^ 1 << UInt8(bit % 8), at: body.readerIndex + bit / 8)
            }
        }
        return body
    }

    private func register(_ id: String, _ request: Request) async -> Response {
        do {
            let body = try await request.body.collect(upTo: bodyByteCountMax)
            let registration = try JSONDecoder().decode(TrialRegistration.self, from: Data(body.readableBytesView))
            try await registry.register(registration, as: id).prepare()
            return Response(status: .noContent)
        } catch let error as DecodingError {
            return .text(.badRequest, "the body is no registration: \(error.reason)")
        } catch let error as FixtureServerError {
            return .text(error.isConflict ? .conflict : .badRequest, error.description)
        } catch is NIOTooManyBytesError {
            return .text(.contentTooLarge, "the body has more than \(bodyByteCountMax) bytes")
        } catch is CancellationError {
            return .text(.serviceUnavailable, "the server is stopping")
        } catch {
            return .text(.badRequest, "the registration failed: \(error)")
        }
    }
}

extension FixtureServerError {
    fileprivate var isConflict: Bool {
        if case .tooManyTrials = self { true } else { false }
    }
}

extension DecodingError {
    /// What is wrong and where, in a line.
    fileprivate var reason: String {
        switch self {
        case .keyNotFound(let key, let context):
            "'\((context.codingPath + [key]).dotted)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? context.debugDescription : "'\(context.codingPath.dotted)': \(context.debugDescription)"
        @unknown default: "\(self)"
        }
    }
}

extension [any CodingKey] {
    fileprivate var dotted: String { map(\.stringValue).joined(separator: ".") }
}

import Foundation
import Hummingbird
import NIOCore
import Payloads

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
        let due = trial.due(ticket)
        let body: ByteBuffer
        do {
            body = try await encode(ticket, of: trial, channel: channel)
            let isLate = MonotonicTime.now > due + 1_000_000 && due > arrival
            if due > arrival, try await !AnswerTimer.wait(on: channel, until: .uptimeNanoseconds(due)) {
                trial.end(ticket, .abandoned)
                return Response(status: .init(code: Int(RequestEnding.abandoned.rawValue)))
            }
            // Noted before the answer is sent: what its caller asks for next does not overlap with it.
            trial.end(ticket, .answered, isLate: isLate)
        } catch {
            trial.end(ticket, .failed)
            return .text(.internalServerError, "key \(key): \(error)")
        }
        return .payload(body, type: trial.contentType, version: ticket.version)
    }

    private func encode(
        _ ticket: RequestLedger.Ticket, of trial: FixtureTrial, channel: any Channel
    ) async throws -> ByteBuffer {
        let template = try await trial.template(ticket.key)
        var body = channel.allocator.buffer(capacity: template.encodedByteCountMax)
        template.write(version: ticket.version) { body.writeBytes($0) }
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

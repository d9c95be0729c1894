import NIOCore
import Origins
import TrialModel

/// A request for a value, from its arrival to its end: each one that begins is ended once, which its log relies on.
struct Load: Sendable {
    let trial: FixtureTrial
    let ticket: RequestLog.Ticket
    let fault: OriginFault?
    /// Its priority on arrival.
    let priority: LoadPriority
    /// The time from which it is served.
    private var served: UInt64
    /// When the answer may be sent, in ``Nanoclock``; the largest value if there is none.
    private(set) var due: UInt64

    /// Logs that the request has arrived.
    init(key: UInt64, phase: UInt16, priority: LoadPriority, of trial: FixtureTrial) {
        self.trial = trial
        self.priority = priority
        ticket = trial.begin(key: key, phase: phase, at: Nanoclock.now())
        fault = trial.fault(ticket)
        served = ticket.startNanoseconds
        due = trial.due(ticket, fault, from: served)
    }

    /// The same request with a slot, served from now on.
    var inSlot: Load {
        var load = self
        load.served = Nanoclock.now()
        load.due = trial.due(ticket, fault, from: load.served)
        return load
    }

    /// Whether the scenario delays it.
    var isDelayed: Bool { due > served }

    /// Whether its delay had passed more than a millisecond before the payload was made.
    var isLate: Bool { isDelayed && due < .max && Nanoclock.now() > due + 1_000_000 }

    /// The payload's template if it is kept; otherwise `nil`.
    var keptTemplate: EncodedTemplate? { trial.keptTemplate(ticket.answered(fault?.kind).key) }

    /// The payload's template, made if necessary.
    func template() async -> Result<EncodedTemplate, any Error> {
        let (key, version) = ticket.answered(fault?.kind)
        do { return .success(try await trial.template(key, version: version)) } catch { return .failure(error) }
    }

    /// The body of the answer, with the effect of the fault.
    func body(_ template: EncodedTemplate, allocator: ByteBufferAllocator) -> ByteBuffer {
        var body = allocator.buffer(capacity: template.encodedByteCountMax)
        template.write(version: ticket.answered(fault?.kind).version) { body.writeBytes($0) }
        if fault?.kind == .flippedBit {
            let bit = trial.faultDetail(ticket, below: body.readableBytes * 8)
            if let byte = body.getInteger(at: body.readerIndex + bit / 8, as: UInt8.self) {
                body.setInteger(byte ^ 1 << UInt8(bit % 8), at: body.readerIndex + bit / 8)
            }
        }
        return body
    }

    /// How the request ends when its caller gets the whole answer.
    var ending: RequestEnding { fault?.kind.isFailure == true ? .failed : .answered }

    /// Logs the end of the request.
    func end(_ ending: RequestEnding, isLate: Bool = false) {
        trial.end(ticket, ending, fault: fault?.kind, isLate: isLate)
    }

    /// The answer with a body from ``body(_:allocator:)``, where the fault still allows valid HTTP.
    func answer(_ body: ByteBuffer) -> Answer {
        guard let kind = fault?.kind, let status = kind.status else { return .payload(body, of: self) }
        let route = OriginRoute.value(trial: trial.id, key: ticket.key, phase: ticket.phase)
        return .fault(kind, status: status, route: route)
    }

    /// The answer where the fault makes it invalid HTTP.
    func faultyAnswer(_ body: ByteBuffer) -> FaultyAnswer? {
        guard let fault else { return nil }
        let fields = "content-type: \(trial.contentType)\r\nx-version: \(ticket.version)\r\n"
        return FaultyAnswer(fault, body: body, fields: fields)
    }
}

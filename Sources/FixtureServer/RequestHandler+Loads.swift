import NIOCore
import NIOHTTP1
import Origins
import TrialModel

/// A load that is not answered before a point in time, with a timer of the connection's event loop.
struct HeldLoad {
    let load: Load
    /// `nil` if there is no answer, so that it is held for as long as the caller waits.
    let timer: Scheduled<Void>?
    let proceed: () -> Void
}

extension RequestHandler {
    /// Answers a load, once it has a slot of the origin.
    func answer(_ load: Load) {
        guard let slots = load.trial.slots else { return serve(load) }
        guard let context else { return load.end(.abandoned) }
        let (handler, eventLoop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
        let request = SlotQueue.Request(load.ticket)
        held = HeldLoad(load: load, timer: nil) { [self] in serve(load.inSlot) }
        let isServed = slots.enter(request, load.priority) {
            // This releases nothing when the caller has left in the meantime.
            eventLoop.execute { handler.value.release() }
        }
        if isServed { release() }
    }

    /// Answers a load: in this call, unless its payload must be made or its delay must pass.
    private func serve(_ load: Load) {
        if let template = load.keptTemplate { return answer(load, from: .success(template)) }
        inBackground {
            await load.template()
        } then: {
            $0.answer(load, from: $1)
        }
    }

    private func answer(_ load: Load, from template: Result<EncodedTemplate, any Error>) {
        let body: ByteBuffer
        do {
            body = load.body(try template.get(), allocator: context?.channel.allocator ?? ByteBufferAllocator())
        } catch {
            load.end(.failed)
            return send(.text(.internalServerError, "key \(load.ticket.key): \(error)"))
        }
        guard load.isDelayed else { return answer(load, body, isLate: false) }
        let isLate = load.isLate
        hold(load, until: load.due) { [self] in answer(load, body, isLate: isLate) }
    }

    private func answer(_ load: Load, _ body: ByteBuffer, isLate: Bool) {
        if let answer = load.faultyAnswer(body) { return send(answer, to: load) }
        // The end is logged before the answer is sent, so the caller's next request does not overlap with this one.
        load.end(load.ending, isLate: isLate)
        send(load.answer(body))
    }

    /// Continues at a point in ``Nanoclock``, unless the caller leaves before.
    private func hold(_ load: Load, until due: UInt64, then proceed: @escaping () -> Void) {
        guard let context, !isCallerGone else { return abandon(load) }
        guard due > Nanoclock.now() else { return proceed() }
        var timer: Scheduled<Void>?
        if due < .max {
            timer = context.eventLoop.assumeIsolated()
                .scheduleTask(deadline: .uptimeNanoseconds(due)) { [self] in release() }
        }
        held = HeldLoad(load: load, timer: timer, proceed: proceed)
    }

    private func release() {
        guard let held else { return }
        self.held = nil
        held.proceed()
    }

    /// Logs that the caller left before its answer; a caller that only closed its sending side gets an error.
    func abandon(_ load: Load) {
        load.end(.abandoned)
        if wire.isLeaving { return wire.close() }
        send(Answer(status: .init(statusCode: Int(RequestEnding.abandoned.rawValue))))
    }

    /// Sends bytes that are not valid HTTP, piece by piece, and closes the connection.
    private func send(_ answer: FaultyAnswer, from index: Int = 0, to load: Load) {
        // No other answer may follow, because a reader can't know where these bytes end.
        wire.stopReading()
        guard index < answer.pieces.count else {
            if answer.pieces.isEmpty { load.end(load.ending) }
            return wire.close(resetting: answer.resets)
        }
        let piece = answer.pieces[index]
        let sendPiece = { [self] in
            // The end is logged before the last bytes are sent, so the caller's next request does not overlap with this
            // one.
            if index == answer.pieces.count - 1 { load.end(load.ending) }
            wire.send(piece.bytes) { [self] in send(answer, from: index + 1, to: load) }
        }
        guard piece.pauseNanoseconds > 0 else { return sendPiece() }
        hold(load, until: Nanoclock.now() &+ piece.pauseNanoseconds, then: sendPiece)
    }
}

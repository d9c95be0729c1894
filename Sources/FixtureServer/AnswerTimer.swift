import NIOCore

/// Holds an answer back until it is due, on the connection's own event loop, whose timers are more exact than a
/// sleeping task; and notices when the caller goes away meanwhile.
///
/// A connection has one request under way at a time, so there is one answer at a time to hold back.
final class AnswerTimer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// Touched on the event loop alone.
    private var waiting: (promise: EventLoopPromise<Bool>, timer: Scheduled<Void>)?
    private var isCallerGone = false

    /// Waits on a connection for a point in time.
    ///
    /// - Returns: whether the caller is still there.
    static func wait(on channel: any Channel, until due: NIODeadline) async throws -> Bool {
        let eventLoop = channel.eventLoop
        let promise = eventLoop.makePromise(of: Bool.self)
        eventLoop.execute {
            do {
                try channel.pipeline.syncOperations.handler(type: AnswerTimer.self)
                    .hold(promise, until: due, on: eventLoop)
            } catch {
                // The pipeline is gone, and the caller with it.
                promise.succeed(false)
            }
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            eventLoop.execute {
                try? channel.pipeline.syncOperations.handler(type: AnswerTimer.self).release(isCallerThere: false)
            }
        }
    }

    private func hold(_ promise: EventLoopPromise<Bool>, until due: NIODeadline, on eventLoop: any EventLoop) {
        guard !isCallerGone else { return promise.succeed(false) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let timer = eventLoop.scheduleTask(deadline: due) { bound.value.release(isCallerThere: true) }
        waiting = (promise, timer)
    }

    private func release(isCallerThere: Bool) {
        guard let (promise, timer) = waiting else { return }
        waiting = nil
        timer.cancel()
        promise.succeed(isCallerThere)
    }

    private func callerWentAway() {
        isCallerGone = true
        release(isCallerThere: false)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent { callerWentAway() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        callerWentAway()
        context.fireChannelInactive()
    }
}

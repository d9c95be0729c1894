package import TrialModel

/// Runs a load at the priority of its task, and says when a user begins to wait for one that began without a user.
///
/// Swift raises a task's priority when a more urgent one waits for it, and what it waits for in turn (SE-0462).
///
/// - Parameters:
///   - body: gets the priority that the load begins with.
///   - onRaise: called at most a few times, from any thread, while `body` runs.
package func atTaskPriority<Value: Sendable, Failure: Error>(
    _ body: (LoadPriority) async throws(Failure) -> Value, onRaise: @escaping @Sendable () -> Void
) async throws(Failure) -> Value {
    guard LoadPriority(Task.currentPriority) == .utility else { return try await body(.user) }
    return try await withTaskPriorityEscalationHandler { () async throws(Failure) -> Value in
        // Read once more, because it may have been raised before there was a handler.
        try await body(LoadPriority(Task.currentPriority))
    } onPriorityEscalated: { _, priority in
        if LoadPriority(priority) == .user { onRaise() }
    }
}

package import TrialModel

/// Runs a load at the priority of its task, and reports when a user begins to wait for a load that began without a
/// user.
///
/// Swift raises a task's priority when a more urgent task waits for it, and also that of the tasks it waits for
/// (SE-0462).
///
/// - Parameters:
///   - body: receives the priority with which the load begins.
///   - onRaise: called at most a few times, from any thread, while `body` runs.
package func atTaskPriority<Value: Sendable, Failure: Error>(
    _ body: (LoadPriority) async throws(Failure) -> Value, onRaise: @escaping @Sendable () -> Void
) async throws(Failure) -> Value {
    guard LoadPriority(Task.currentPriority) == .utility else { return try await body(.user) }
    return try await withTaskPriorityEscalationHandler { () async throws(Failure) -> Value in
        // The priority is read again, because it may have been raised before the handler was set.
        try await body(LoadPriority(Task.currentPriority))
    } onPriorityEscalated: { _, priority in
        if LoadPriority(priority) == .user { onRaise() }
    }
}

/// What happened in a trial: the operations of every caller, and the requests that its origin saw.
///
/// Versions are unique for a key: a client's writes carry numbers of their own, and an origin counts its answers. So a
/// value says which write or which request it came from.
package struct History: Sendable {
    /// The operations of each caller, in the order in which it sent them. A caller has one under way at a time.
    package var callers: [[OperationRecord]]
    /// What the origin saw, in the order in which requests ended. Empty when the origin keeps no list.
    package var requests: [RequestRecord]
    /// Requests that the origin counted and did not write down. Where there are any, what needs the list is unknown.
    package var droppedRequests: UInt64
    /// Whether a fetch may fail before the origin knows of it, such as by a connection that is refused. An error
    /// without a request is then no fault of the strategy.
    package var mayFailUnseen: Bool
    /// How many operations each caller sent, counted beside the records; `nil` where nobody counted. Records that
    /// are fewer, or more, make the log invalid.
    package var sentCounts: [Int]?
    /// How many fetches the callers' side saw answered; `nil` where nobody counted, or the origin keeps no list. An
    /// origin that knows of fewer answers has lost some, which makes the log invalid.
    package var answeredFetchCount: UInt64?
    /// What the strategy said of itself while callers were at work, in the order of time; empty where nobody asked.
    package var samples: [StatisticsSample] = []
    /// Moments at which entries may have gone without any caller, in order: the cache was opened again, or asked to give
    /// memory back.
    package var losses: [UInt64] = []

    package init(
        callers: [[OperationRecord]] = [], requests: [RequestRecord] = [], droppedRequests: UInt64 = 0,
        mayFailUnseen: Bool = false, sentCounts: [Int]? = nil, answeredFetchCount: UInt64? = nil
    ) {
        self.callers = callers
        self.requests = requests
        self.droppedRequests = droppedRequests
        self.mayFailUnseen = mayFailUnseen
        self.sentCounts = sentCounts
        self.answeredFetchCount = answeredFetchCount
    }

    /// How many operations there are.
    package var count: Int { callers.reduce(0) { $0 + $1.count } }
}

/// What happened in a trial: the operations of every caller, and the requests that its origin saw.
///
/// Versions are unique within a key: each client numbers its writes in a range of its own, and the origin counts its
/// answers. So a value identifies the write or the request that made it.
package struct History: Sendable {
    /// The operations of each caller, in the order in which it sent them. A caller has one operation in flight at a
    /// time.
    package var callers: [[OperationRecord]]
    /// The requests that the origin saw, in the order in which they ended. Empty when the origin keeps no list.
    package var requests: [RequestRecord]
    /// The number of requests that the origin counted but did not record. If there are any, promises that need the
    /// list are unknown.
    package var droppedRequests: UInt64 = 0
    /// Whether a fetch may fail before the origin sees it, such as by a refused connection. An error without a
    /// request is then not the strategy's fault.
    package var mayFailUnseen = false
    /// The number of operations that each caller sent, counted separately from the records; `nil` where they were not
    /// counted. Fewer or more records make the log invalid.
    package var sentCounts: [Int]?
    /// The number of fetches that the callers saw answered; `nil` where they were not counted, or the origin keeps no
    /// list. An origin with fewer answers in its list has lost some, which makes the log invalid.
    package var answeredFetchCount: UInt64?
    /// Samples of the strategy's own statistics, taken during the run, in the order of time; empty where none were
    /// taken.
    package var samples: [StatisticsSample] = []
    /// Times in which entries may have been lost without a call of any caller, in order: the cache was reopened, was asked
    /// to release memory, or lifetimes ended.
    package var losses: [ClosedRange<UInt64>] = []

    package init(
        callers: [[OperationRecord]] = [], requests: [RequestRecord] = [], sentCounts: [Int]? = nil,
        answeredFetchCount: UInt64? = nil
    ) {
        self.callers = callers
        self.requests = requests
        self.sentCounts = sentCounts
        self.answeredFetchCount = answeredFetchCount
    }

    /// The number of operations.
    package var count: Int { callers.reduce(0) { $0 + $1.count } }
}

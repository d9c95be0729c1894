import CSpans
import CacheStrategies
import TrialModel

/// Marker functions that Callgrind finds by name, in a trial whose instructions are counted.
package enum CallgrindMarks {
    /// Begins a phase that is counted.
    package static func begin() { cache_trials_phase_begins() }

    /// Ends the phase; the parent process reads its counts.
    package static func end() { cache_trials_phase_ends() }

    /// Calls the body, which is an operation; `isBare` means that it goes to the cache that does nothing.
    static func count(_ kind: OperationKind, isBare: Bool, _ body: spans_body, _ context: UnsafeMutableRawPointer) {
        switch kind {
        case .read: (isBare ? cache_trials_bare_read : cache_trials_counted_read)(body, context)
        case .load: (isBare ? cache_trials_bare_load : cache_trials_counted_load)(body, context)
        case .write: (isBare ? cache_trials_bare_write : cache_trials_counted_write)(body, context)
        case .remove: (isBare ? cache_trials_bare_remove : cache_trials_counted_remove)(body, context)
        case .clear: (isBare ? cache_trials_bare_clear : cache_trials_counted_clear)(body, context)
        case .burst, .prefetch: preconditionFailure(TimedKernel.isNoCall)
        }
    }

    /// Calls the body within an operation without counting it.
    static func leaveOut(_ body: spans_body, _ context: UnsafeMutableRawPointer) {
        cache_trials_uncounted(body, context)
    }
}

extension Strategy {
    /// Whether the whole process must be counted, because the strategy also works in tasks or threads of its own.
    package var isCountedAsWhole: Bool { suspends || declaration.worksInBackground }
}

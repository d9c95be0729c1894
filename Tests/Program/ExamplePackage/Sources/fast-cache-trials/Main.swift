import CacheTrials
import Foundation

private typealias Value = TrialValue

@main
struct Main {
    static func main() {
        CacheTrialsCommand.main(adding: [
            Strategy(FastCache<Int, Value>.self, FastCache<String, Value>.self, FastCache<URL, Value>.self),
            Strategy(WrappedLRU<Int, Value>.self),
            Strategy(WrappedActor<String, Value>.self).exploring(WrappedActor<Int, ScheduleValue>.self),
        ])
    }
}

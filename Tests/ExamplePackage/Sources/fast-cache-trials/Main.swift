import CacheTrials
import Foundation

@main
struct Main {
    static func main() async {
        await CacheTrialsCommand.main(adding: [
            Strategy(
                FastCache<Int, TrialValue>.self, FastCache<String, TrialValue>.self, FastCache<URL, TrialValue>.self),
            Strategy(WrappedLRU<Int, TrialValue>.self),
            Strategy(WrappedActor<String, TrialValue>.self).exploring(WrappedActor<Int, ScheduleValue>.self),
        ])
    }
}

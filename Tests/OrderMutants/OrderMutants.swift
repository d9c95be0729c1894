import CacheTestSupport
import CacheTrials

/// The program of this package with extra caches, some with planted ordering faults and some without: they are
/// explored in the same way as all others.
@main
struct OrderMutants {
    static func main() {
        CacheTrialsCommand.main(adding: OrderMutant.all.map(\.strategy) + OrderMutant.sound)
    }
}

import CacheTestSupport
import CacheTrials

/// The program of this package with caches whose orders have planted faults, and with caches that have none: they are
/// explored in the same way as all others.
@main
struct OrderMutants {
    static func main() {
        CacheTrialsCommand.main(adding: OrderMutant.all.map(\.strategy) + OrderMutant.sound)
    }
}

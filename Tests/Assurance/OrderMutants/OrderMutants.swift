import AtomicOrders
import CacheTrials
import Mutants
import OrderPrimitives
import TimedStrategies

/// The program of this package with extra caches, some with planted ordering faults and some without: they are
/// explored in the same way as all others.
@main
struct OrderMutants {
    static func main() {
        CacheTrialsCommand.main(
            adding: OrderMutant.all.map(\.strategy) + OrderMutant.sound + AtomicMutant.all.map(\.strategy)
                + AtomicMutant.sound + [Primitives.executor, Primitives.crowd] + Primitives.files + primitives)
    }

    private static var primitives: [Strategy] {
        #if os(Linux)
            Primitives.controlled + Primitives.hanging.map(\.strategy)
        #else
            []
        #endif
    }
}

package import CacheStrategies
import Schedules
package import TimedStrategies

/// A synchronous cache with one planted ordering fault, and the promise that it breaks.
package struct OrderMutant: Sendable, CustomStringConvertible {
    package let fault: OrderFault
    /// The cache as a strategy of the program.
    package let strategy: Strategy
    /// Its type with the keys and values of orders.
    package let ordered: any SynchronousCacheStrategy<Int, ScheduleValue>.Type

    package var description: String { fault.rawValue }

    private init?<Number: SynchronousCacheStrategy<Int, TrialValue>, Explored>(
        _ fault: OrderFault?, _ type: Number.Type, _ explored: Explored.Type
    ) where Explored: SynchronousCacheStrategy<Int, ScheduleValue> {
        guard let fault else { return nil }
        self.fault = fault
        strategy = Strategy(type).exploring(explored)
        ordered = explored
    }

    /// How many orders are explored for each fault: the fault must be found within them, with every seed.
    package static let orders = 10_000

    /// The caches without a fault, which no check may report.
    package static let sound: [Strategy] = [
        Strategy(LockOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(LockOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
        Strategy(WaitOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(WaitOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
        Strategy(ReadOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(ReadOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
        Strategy(QueueOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(QueueOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
        Strategy(LimitOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(LimitOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
        Strategy(TimerOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(TimerOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
        Strategy(FlushOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(FlushOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
        Strategy(ExpiryOrderCache<Int, TrialValue, PlantedOrders.None>.self)
            .exploring(ExpiryOrderCache<Int, ScheduleValue, PlantedOrders.None>.self),
    ]

    /// All of them, each in a cache of its family.
    package static let all: [OrderMutant] =
        [
            lock(PlantedOrders.LockOrderReversed.self),
            lock(PlantedOrders.CheckThenInsert.self),
            lock(PlantedOrders.ClearMissesLoads.self),
            lock(PlantedOrders.RemoveMissesLoads.self),
            lock(PlantedOrders.EpochReadTooLate.self),
            lock(PlantedOrders.EvictedBeforeTouch.self),
            lock(PlantedOrders.SpinsWithLock.self),
            lock(PlantedOrders.UnlockedByAnother.self),
            wait(PlantedOrders.LostWakeUp.self),
            wait(PlantedOrders.SignalForBroadcast.self),
            wait(PlantedOrders.WaitWithoutLoop.self),
            wait(PlantedOrders.TicketReused.self),
            wait(PlantedOrders.WaiterCountedTwice.self),
            wait(PlantedOrders.FlightEnteredLate.self),
            wait(PlantedOrders.BroadcastBeforeDone.self),
            wait(PlantedOrders.FailureWakesNoWaiter.self),
            read(PlantedOrders.WriteUnderReadLock.self),
            read(PlantedOrders.UpgradeWithoutRecheck.self),
            read(PlantedOrders.ReadLockTwice.self),
            read(PlantedOrders.CopyInTwoSections.self),
            queue(PlantedOrders.MissingBarrier.self),
            queue(PlantedOrders.ReadPastQueue.self),
            queue(PlantedOrders.QueueReentered.self),
            queue(PlantedOrders.QueuesCrossed.self),
            queue(PlantedOrders.GroupEnteredLate.self),
            queue(PlantedOrders.TwoPermits.self),
            queue(PlantedOrders.CancelledWrite.self),
            limit(PlantedOrders.EvictedAfterwards.self),
            limit(PlantedOrders.CountHidesExcess.self),
            limit(PlantedOrders.RoomMadeBefore.self),
            timer(PlantedOrders.TimeoutTakenForSignal.self),
            timer(PlantedOrders.SecondLoadForgetsFirst.self),
            timer(PlantedOrders.SweptAfterLook.self),
            flush(PlantedOrders.OlderWriteFlushed.self),
            flush(PlantedOrders.FlushInTwoSections.self),
            flush(PlantedOrders.FlushForgetsNewer.self),
            expiry(PlantedOrders.ExpiredInSecondStep.self),
        ].compactMap(\.self)

    private static func lock<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, LockOrderCache<Int, TrialValue, Planted>.self,
            LockOrderCache<Int, ScheduleValue, Planted>.self)
    }

    private static func wait<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, WaitOrderCache<Int, TrialValue, Planted>.self,
            WaitOrderCache<Int, ScheduleValue, Planted>.self)
    }

    private static func read<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, ReadOrderCache<Int, TrialValue, Planted>.self,
            ReadOrderCache<Int, ScheduleValue, Planted>.self)
    }

    private static func queue<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, QueueOrderCache<Int, TrialValue, Planted>.self,
            QueueOrderCache<Int, ScheduleValue, Planted>.self)
    }

    private static func limit<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, LimitOrderCache<Int, TrialValue, Planted>.self,
            LimitOrderCache<Int, ScheduleValue, Planted>.self)
    }

    private static func timer<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, TimerOrderCache<Int, TrialValue, Planted>.self,
            TimerOrderCache<Int, ScheduleValue, Planted>.self)
    }

    private static func expiry<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, ExpiryOrderCache<Int, TrialValue, Planted>.self,
            ExpiryOrderCache<Int, ScheduleValue, Planted>.self)
    }

    private static func flush<Planted: PlantedOrderFault>(_: Planted.Type) -> OrderMutant? {
        OrderMutant(
            Planted.fault, FlushOrderCache<Int, TrialValue, Planted>.self,
            FlushOrderCache<Int, ScheduleValue, Planted>.self)
    }
}

import SharedValues
import TrialModel

enum PressureKeys {
    /// The key of a phase.
    static var ofPhase: FileKey<MemoryPressure> {
        FileKey(
            "memory-pressure", .word(MemoryPressure.self), \Phase.memoryPressure, absent: "none",
            "The level of memory pressure that the cache gets soon after the phase has begun, while clients use it.")
    }
}

extension PhaseKeys {
    /// Memory pressure needs entries to give back, and an earlier hit ratio to compare with.
    func checkPressure(_ fields: Fields, isFirst: Bool) {
        if isFirst {
            fields.refuse(
                memoryPressure, found: "memory-pressure in the first phase", allowed: "only in a later phase",
                hint: "the cache is empty")
        } else if fields[warmUp] == true {
            fields.refuse(
                memoryPressure, found: "memory-pressure in a warm-up", allowed: "only in phases that are measured")
        }
    }
}

/// An admission that is chosen when a replay starts, in front of a policy that is compiled for its type: a call for each
/// request, instead of a loop compiled for each pair.
@usableFromInline
package struct ChosenAdmission: Sendable {
    package let declaration: PolicyDeclaration
    fileprivate let make: @Sendable (PolicyCapacity, PolicySettings) -> AdmissionBox

    private init<Admission: AdmissionPolicy & SendableMetatype & ~Copyable>(_ type: Admission.Type) {
        declaration = Admission.declaration
        make = { AdmissionBoxOf(Admission(capacity: $0, settings: $1)) }
    }

    /// All admissions.
    package static let all = [
        ChosenAdmission(TinyLFUAdmission.self), ChosenAdmission(SecondRequestAdmission.self),
        ChosenAdmission(SizeAdmission.self), ChosenAdmission(AdaptSizeAdmission.self),
    ]

    /// An admission that has seen nothing.
    package func open(capacity: PolicyCapacity, settings: PolicySettings) -> OpenAdmission {
        OpenAdmission(make(capacity, settings))
    }
}

/// A chosen admission at work.
@usableFromInline
package struct OpenAdmission: AdmissionPolicy, ~Copyable {
    @usableFromInline
    let box: AdmissionBox

    fileprivate init(_ box: AdmissionBox) { self.box = box }

    /// TinyLFU, because nothing was chosen.
    @usableFromInline
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        box = AdmissionBoxOf(TinyLFUAdmission(capacity: capacity, settings: settings))
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration { TinyLFUAdmission.declaration }

    @inlinable package var comparesWithVictim: Bool { box.comparesWithVictim }
    @inlinable package var refusesBySize: Bool { box.refusesBySize }

    @inlinable
    package mutating func use(_ object: ObjectID, charge: UInt32) { box.use(object, charge) }

    @inlinable
    package mutating func admits(_ object: ObjectID, charge: UInt32, over victim: ObjectID?, residents: Int) -> Bool {
        box.admits(object, charge, victim, residents)
    }

    @inlinable
    package mutating func removeAll() { box.removeAll() }
}

/// An admission of any type.
@usableFromInline
class AdmissionBox {
    @usableFromInline
    let comparesWithVictim: Bool
    @usableFromInline
    let refusesBySize: Bool

    fileprivate init(comparesWithVictim: Bool, refusesBySize: Bool) {
        (self.comparesWithVictim, self.refusesBySize) = (comparesWithVictim, refusesBySize)
    }

    @usableFromInline
    func use(_ object: ObjectID, _ charge: UInt32) {}

    @usableFromInline
    func admits(_ object: ObjectID, _ charge: UInt32, _ victim: ObjectID?, _ residents: Int) -> Bool { true }

    @usableFromInline
    func removeAll() {}
}

private final class AdmissionBoxOf<Admission: AdmissionPolicy & ~Copyable>: AdmissionBox {
    private var admission: Admission

    init(_ admission: consuming Admission) {
        let (compares, bySize) = (admission.comparesWithVictim, admission.refusesBySize)
        self.admission = admission
        super.init(comparesWithVictim: compares, refusesBySize: bySize)
    }

    override func use(_ object: ObjectID, _ charge: UInt32) { admission.use(object, charge: charge) }

    override func admits(_ object: ObjectID, _ charge: UInt32, _ victim: ObjectID?, _ residents: Int) -> Bool {
        admission.admits(object, charge: charge, over: victim, residents: residents)
    }

    override func removeAll() { admission.removeAll() }
}

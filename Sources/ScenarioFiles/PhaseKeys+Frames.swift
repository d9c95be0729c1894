import TrialModel

/// Phases in which a list scrolls on the main thread.
extension PhaseKeys {
    /// A phase with frames: the scroll determines its length, and its single client loads.
    func framed(_ fields: Fields, name: String?) -> Phase? {
        fields.readAll(self)
        let foreign: [any DeclaredKey] = [
            duration, operations, clients, arrival, driver, thinkTime, mix, burstWidth, cancel, prefetch, script,
        ]
        for key in foreign {
            fields.refuse(
                key, found: "\(key.name) beside frames",
                allowed: "only name, keys, pools, expect, warm-up, reopen, memory-pressure and offline beside frames")
        }
        let loads = OperationMix([.load: 1])
        let workload = workload(fields, implied: loads)
        if let workload, workload.pools.contains(where: { $0.mix != loads }) {
            fields.report(
                pools, found: "a mix", allowed: "pools without a mix beside frames", hint: "every row is loaded")
        }
        let expectations = fields[expect]?(loads, .closed, true)
        checkWarmUp(fields, workload)
        guard let name, let frames = fields[frames], let workload, let expectations, let keys = fields[keys],
            let warmUp = fields[warmUp], let reopen = fields[reopen], let offline = fields[offline]
        else { return nil }
        var phase = Phase(
            name: name, length: .duration(nanoseconds: frames.nanoseconds), clients: 1, mix: loads,
            pools: workload.pools, keys: keys, warmUp: warmUp, reopen: reopen, offline: offline,
            expectations: expectations + workload.expectations)
        phase.frames = frames
        return phase
    }
}

/// A list that scrolls.
struct FramesKeys: ScenarioMapping {
    let rate = FileKey<Int>("rate", .count(30...240), default: 60, "The display's rate, in frames per second.")
    let budget = FileKey(
        "budget", .amount(AmountLimit(.time, 1_000...33_000_000, example: "4 ms")), default: 4_000_000,
        "How long the cache may hold the main thread in one frame; less than a frame.")
    let cells = FileKey<Int>("cells", .count(1...200), default: 12, "How many rows are visible.")
    let loaders = FileKey<Int>(
        "loaders", .count(1...64), default: 4, "How many threads load for a synchronous strategy; others load in tasks."
    )
    let scroll = FileKey(
        "scroll", TypedForm.list(of: .scrollStep, count: 1...100, called: "a list of steps"),
        default: NamedScroll.allCases.map(WrittenScrollStep.init), absent: "[still, slow, fling, back]",
        "The steps of the scroll: words, or mappings with speed and for.")

    /// The maximum number of rows of a list, and of frames of a phase.
    private static let rowsMax = 100_000
    private static let framesMax = 200_000

    func value(of fields: Fields) -> Frames? {
        guard let rate = fields[rate], let budget = fields[budget], let cells = fields[cells],
            let loaders = fields[loaders], let scroll = fields[scroll]
        else { return nil }
        let steps = scroll.map { step in
            ScrollStep(
                name: step.name, rowsPerSecond: step.rowsPerSecond + step.rowsPerFrame * Double(rate),
                nanoseconds: step.nanoseconds)
        }
        let frames = Frames(rate: rate, budget: budget, cells: cells, loaders: loaders, scroll: steps)
        if budget >= frames.period {
            fields.report(
                self.budget,
                allowed: "less than a frame, which takes \(AmountUnit.text(frames.period / 1_000 * 1_000, kind: .time))"
            )
            return nil
        }
        guard (1...Self.framesMax).contains(frames.frameCount) else {
            fields.report(
                self.scroll, found: "\(frames.frameCount) frames", allowed: "1 to \(Self.framesMax) frames in all")
            return nil
        }
        guard frames.rowCount <= Self.rowsMax else {
            fields.report(self.scroll, found: "\(frames.rowCount) rows", allowed: "at most \(Self.rowsMax) rows")
            return nil
        }
        return frames
    }
}

/// A step as written in the file, before the display's rate is known.
struct WrittenScrollStep {
    var name: String
    var rowsPerSecond = 0.0
    var rowsPerFrame = 0.0
    var nanoseconds: UInt64

    /// Creates a step from a speed, before its time is known.
    init(name: String, rowsPerSecond: Double = 0, rowsPerFrame: Double = 0) {
        self.name = name
        self.rowsPerSecond = rowsPerSecond
        self.rowsPerFrame = rowsPerFrame
        nanoseconds = 0
    }

    init(_ named: NamedScroll) {
        self.init(name: named.rawValue, rowsPerSecond: named.step.rowsPerSecond)
        nanoseconds = named.step.nanoseconds
    }
}

private struct ScrollStepKeys: ScenarioMapping {
    let speed = FileKey(
        "speed", .scrollSpeed, "The speed, such as 3 rows/frame or 120 rows/s; negative scrolls up.")
    let time = FileKey(
        "for", .amount(AmountLimit(.time, 10_000_000...AmountLimit.minute * 10, example: "2 s")),
        "The duration of the step.")

    func value(of fields: Fields) -> WrittenScrollStep? {
        guard var step = fields[speed], let time = fields[time] else { return nil }
        step.nanoseconds = time
        return step
    }
}

extension TypedForm<WrittenScrollStep> {
    /// A word, or a mapping with speed and for.
    fileprivate static var scrollStep: Self {
        let words = NamedScroll.allCases.map(\.rawValue)
        let keys: TypedForm<WrittenScrollStep> = .mapping(ScrollStepKeys())
        let form = ScenarioForm.any([.choice(words), keys.form])
        return Self(form: form) { field in
            guard case .scalar(let text, _) = field.node.content else { return keys.read(field) }
            guard let named = NamedScroll(rawValue: text) else {
                field.report(allowed: form.allowed, hint: field.didYouMean(in: words))
                return nil
            }
            return WrittenScrollStep(named)
        }
    }

    /// A speed without a time.
    fileprivate static var scrollSpeed: Self {
        let allowed = "a speed from -10000 to 10000 rows/s or rows/frame, such as 3 rows/frame"
        return Self(form: .text) { field in
            guard let text = field.text() else { return nil }
            guard let number = DecimalText(text), abs(number.number) <= 10_000,
                number.rest == "rows/frame" || number.rest == "rows/s"
            else {
                field.report(allowed: allowed)
                return nil
            }
            let isPerFrame = number.rest == "rows/frame"
            return WrittenScrollStep(
                name: text, rowsPerSecond: isPerFrame ? 0 : number.number,
                rowsPerFrame: isPerFrame ? number.number : 0)
        }
    }
}

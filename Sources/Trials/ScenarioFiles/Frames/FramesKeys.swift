import TrialModel

/// A list that scrolls.
struct FramesKeys: ScenarioMapping {
    /// The key of a phase.
    static var ofPhase: FileKey<Frames> {
        FileKey(
            "frames", .mapping(FramesKeys()), \Phase.frames, absent: "none",
            "A list that scrolls on the main thread and loads its rows; in place of a length, clients and a mix.")
    }

    let rate = FileKey("rate", .count(30...240), \Frames.rate, "The display's rate, in frames per second.")
    let budget = FileKey(
        "budget", .amount(.time(1_000...33_000_000, "4 ms")), \Frames.budget,
        "How long the cache may block the main thread in one frame; less than a frame.")
    let cells = FileKey("cells", .count(1...200), \Frames.cells, "How many rows are visible.")
    let loaders = FileKey(
        "loaders", .count(1...64), \Frames.loaders,
        "How many threads load for a synchronous strategy; others load in tasks.")
    let scroll = FileKey(
        "scroll", TypedForm.list(of: .scrollStep, count: 1...100, called: "a list of steps"),
        absent: "[still, slow, fling, back]", "The steps of the scroll: words, or mappings with speed and for.")

    /// The maximum number of rows of a list, and of frames of a phase.
    private static let rowsMax = 100_000
    private static let framesMax = 200_000

    func value(of fields: Fields) -> Frames? {
        guard var frames: Frames = fields.value(of: declaredKeys) else { return nil }
        if let steps = fields[scroll] { frames.scroll = steps.map { $0(frames.rate) } }
        if frames.budget >= frames.period {
            return fields.mistake(
                self.budget,
                allowed: "less than a frame, which takes \(AmountUnit.text(frames.period / 1_000 * 1_000, kind: .time))"
            )
        }
        guard (1...Self.framesMax).contains(frames.frameCount) else {
            return fields.mistake(
                self.scroll, found: "\(frames.frameCount) frames", allowed: "1 to \(Self.framesMax) frames in all")
        }
        guard frames.rowCount <= Self.rowsMax else {
            return fields.mistake(
                self.scroll, found: "\(frames.rowCount) rows", allowed: "at most \(Self.rowsMax) rows")
        }
        return frames
    }
}

/// Makes a step once the display's rate is known.
typealias ScrollStepOfRate = (_ rate: Int) -> ScrollStep

private struct ScrollStepKeys: ScenarioMapping {
    let speed = FileKey(
        "speed", .scrollSpeed, "The speed, such as 3 rows/frame or 120 rows/s; negative scrolls up.")
    let time = FileKey(
        "for", .amount(.time(10_000_000...AmountLimit.minute * 10, "2 s")), "The duration of the step.")

    func value(of fields: Fields) -> ScrollStepOfRate? {
        guard let speed = fields[speed], let time = fields[time] else { return nil }
        return { rate in speed(rate).with { $0.nanoseconds = time } }
    }
}

extension TypedForm<ScrollStepOfRate> {
    /// A word, or a mapping with speed and for.
    fileprivate static var scrollStep: Self {
        let words = NamedScroll.allCases.map(\.rawValue)
        let keys: TypedForm<ScrollStepOfRate> = .mapping(ScrollStepKeys())
        let form = ScenarioForm.any([.choice(words), keys.form])
        return Self(form: form) { field in
            guard case .scalar(let text, _) = field.node.content else { return keys.read(field) }
            guard let named = NamedScroll(rawValue: text) else {
                return field.mistake(allowed: form.allowed, hint: field.didYouMean(in: words))
            }
            return { _ in named.step }
        }
    }

    /// A speed without a time.
    fileprivate static var scrollSpeed: Self {
        let allowed = "a speed from -10000 to 10000 rows/s or rows/frame, such as 3 rows/frame"
        return Self(form: .text) { field in
            guard let text = field.text() else { return nil }
            guard let number = DecimalText(text), abs(number.number) <= 10_000,
                number.rest == "rows/frame" || number.rest == "rows/s"
            else { return field.mistake(allowed: allowed) }
            let isPerFrame = number.rest == "rows/frame"
            return { rate in
                .defaults.with {
                    $0.name = text
                    $0.rowsPerSecond = number.number * (isPerFrame ? Double(rate) : 1)
                }
            }
        }
    }
}

extension PhaseKeys {
    /// Checks a list, which takes the place of most keys.
    func checkFrames(_ fields: Fields, _ workload: Workload?, _ loads: OperationMix) {
        let allowed: [any DeclaredKey] = [name, keys, pools, expect, warmUp, reopen, memoryPressure, offline]
        let names = allowed.map(\.name)
        let list = ScenarioMessage.list(names.dropLast()) + " and \(offline.name)"
        fields.refuse(
            declaredKeys.filter { !names.contains($0.name) && $0.name != frames.name }, "together with frames",
            allowed: "only \(list) together with frames")
        if let workload, workload.pools.contains(where: { $0.mix != loads }) {
            fields.report(
                pools, found: "a mix", allowed: "pools without a mix together with frames", hint: "every row is loaded")
        }
    }
}

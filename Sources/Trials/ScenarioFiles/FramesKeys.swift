import TrialModel

/// A list that scrolls.
struct FramesKeys: ScenarioMapping {
    let rate = FileKey("rate", .count(30...240), \Frames.rate, "The display's rate, in frames per second.")
    let budget = FileKey(
        "budget", .amount(.time(1_000...33_000_000, "4 ms")), \Frames.budget,
        "How long the cache may hold the main thread in one frame; less than a frame.")
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

extension TypedForm<ScheduleScript> {
    /// One text per caller, with its operations separated by commas.
    static var script: Self {
        let caller = TypedForm<[ScriptedOperation]>(form: .text) { $0.operations() }
        return TypedForm<[[ScriptedOperation]]>.list(
            of: caller, count: 1...UInt64(ScheduleScript.callersMax), called: "a list of texts, one for each caller"
        ).map { callers, _ in ScheduleScript(callers: callers) }
    }
}

extension Field {
    fileprivate func operations() -> [ScriptedOperation]? {
        guard let text = text() else { return nil }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count <= ScheduleScript.operationsMax else {
            return mistake(
                found: "\(words.count) operations", allowed: "at most \(ScheduleScript.operationsMax) of a caller")
        }
        var operations: [ScriptedOperation] = []
        for word in words {
            guard let operation = ScriptedOperation(word) else {
                let kinds = ScriptedOperation.Kind.allCases.filter(\.hasKey).map(\.rawValue)
                return mistake(
                    found: ScenarioMessage.quote(String(word.drop { $0 == " " })),
                    allowed: "\(ScenarioMessage.list(kinds)), each with a key from 0 to \(ScheduleScript.keysMax - 1), "
                        + "clear, or statistics; separated by commas")
            }
            if let keyCount = decoder.keys?.count, operation.kind.hasKey, Int(operation.key) >= keyCount {
                return mistake(found: "key \(operation.key)", allowed: "a key below \(keyCount), the count of the keys")
            }
            operations.append(operation)
        }
        return operations
    }
}

import Reports
import TrialModel

/// Tables of the page: each cell has the value for programs beside the text for people.
struct PageTable {
    let palette: Palette
    let meanings: ColumnMeanings

    /// A table with more columns needs a smaller font to fit a window of 1,280 pixels.
    private static let mostColumns = 11

    /// The table; columns without measurements are left out, and named below.
    ///
    /// - Parameter rowStrategies: the strategy of each row; empty where rows are about something else.
    func html(_ table: Table, strategies: [String] = []) -> String {
        let used = table.columns.indices.filter { column in
            table.rows.contains { $0[column].value != .none && $0[column].text != "" }
        }
        guard !used.isEmpty else { return "<p>Nothing was measured.</p>\n" }
        let unused = table.columns.indices.filter { !used.contains($0) }.map { table.columns[$0].header }
        var head = ""
        for column in used { head += header(table.columns[column]) }
        var body = ""
        for (index, row) in table.rows.enumerated() {
            let cells = used.map { cell(row[$0], table.columns[$0]) }.joined()
            if index < strategies.count {
                let style = palette.style(strategies[index])
                body += Markup.element(
                    "tr", ["data-s": String(style.index), "class": style.isMarked ? "bound" : ""], cells)
            } else {
                body += Markup.element("tr", [:], cells)
            }
            body += "\n"
        }
        let grid = Markup.element(
            "table", ["class": used.count > Self.mostColumns ? "dense" : ""],
            "<thead><tr>\(head)</tr></thead>\n<tbody>\n\(body)</tbody>")
        var below = ""
        if !unused.isEmpty {
            below += Markup.text("p", ["class": "note"], "Not measured: \(unused.joined(separator: ", ")).")
        }
        for note in table.notes { below += Markup.element("p", ["class": "note"], Markup.sentence(note)) }
        return "<div class=\"scroll\">\(grid)</div><p class=\"meaning\" aria-live=\"polite\"></p>\(below)\n"
    }

    /// Every strategy with its marker; with the script, buttons that hide strategies. Empty for a single strategy.
    var legend: String {
        let buttons = palette.strategies.map { name in
            Markup.element(
                "button",
                [
                    "type": "button", "data-s": String(palette.style(name).index), "aria-pressed": "true",
                    "title": "Show or hide in the pictures",
                ], sign(name) + Markup.escaped(name))
        }
        return buttons.count < 2 ? "" : Markup.element("div", ["class": "legend"], buttons.joined()) + "\n"
    }

    private func header(_ column: TableColumn) -> String {
        let meaning = meanings.of(column.name) ?? ""
        let button = Markup.text("button", ["type": "button", "title": meaning], column.header)
        let kind = column.alignment == .right ? "n" : Self.isKey(column) ? "key" : ""
        return Markup.element("th", ["scope": "col", "class": kind], button)
    }

    /// Whether the column names the row's strategy: that column stays visible when a table scrolls sideways.
    private static func isKey(_ column: TableColumn) -> Bool { ["strategy", "policy"].contains(column.name) }

    private func cell(_ cell: TableCell, _ column: TableColumn) -> String {
        var content = Markup.escaped(cell.text)
        if Self.isKey(column) { content = sign(cell.text) + content }
        let kind = column.alignment == .right ? "n" : Self.isKey(column) ? "key" : ""
        let word = Self.words[cell.text].map { " \($0)" } ?? ""
        return Markup.element("td", ["class": kind + word, "data-v": Self.value(cell.value)], content)
    }

    /// A strategy's marker in its colour.
    func sign(_ strategy: String) -> String {
        let style = palette.style(strategy)
        return Markup.element(
            "svg", ["class": "sign \(style.hue)", "viewBox": "0 0 12 12", "aria-hidden": "true"],
            style.marker.svg(x: 6, y: 6, radius: 4, isHollow: style.isMarked))
    }

    /// The value as in the CSV.
    static func value(_ value: TableCell.Value) -> String {
        switch value {
        case .none: ""
        case .text(let text): text
        case .integer(let number): String(number)
        case .number(let number, let places): DecimalText.fixed(number, places: places)
        }
    }

    /// Verdicts that also have a colour.
    private static let words = [
        "racy": "bad", "crashed": "bad", "inconsistent": "bad", "worse": "bad", "no": "bad", "clean": "good",
        "consistent": "good", "better": "good",
    ]
}

/// The meanings of columns, by their names.
struct ColumnMeanings {
    /// The sentence; `nil` where the name needs no explanation.
    func of(_ name: String) -> String? {
        if let own = Self.own[name] { return own }
        return Self.catalog[name]
    }

    private static let catalog: [String: String] = {
        var meanings: [String: String] = [:]
        for column in ColumnCatalog.descriptions where meanings[column.name] == nil {
            meanings[column.name] = column.unit.isEmpty ? column.meaning : "\(column.meaning) In \(column.unit)."
        }
        return meanings
    }()

    /// The meanings of columns that only tables have.
    private static let own = [
        "share_given_back": "bytes_given_back / bytes_before.",
        "missed_frames": "Frames that were due while the main thread was busy with an earlier one, per frame.",
        "over_budget_frames": "Frames in which the cache held the main thread for longer than the budget, per frame.",
        "shown_at_once": "Cells that had their value in the frame in which they came into view, per cell.",
        "shown_later": "Cells that got their value later, while they were visible, per cell.",
        "rank": "1: the best, and those that are not surely worse; 2: those that are.",
        "deciding_figure": "What decides in this scenario; the median of the repetitions.",
        "second_figure": "What decides between strategies that are the same by the first figure.",
        "behind_best": "How far behind the best: a factor, or points (p).",
        "verdict":
            "Compared with the best: same, worse, or open where the samples don't tell. The error is 5 % for the table.",
        "hit_p50_ns": "Half of the hits took at most this long.",
        "next_rate_per_second": "The lowest rate that did not meet the objective.",
        "next_objective_ns": "The figure at that rate.",
        "objective_ns": "The figure at the highest rate.",
        "steps": "Rates that were tried.",
        "hit_ratio": "Hits per lookup: the mean over the measured phases, the median of the repetitions.",
        "share_of_optimum":
            "The hit ratio as a share of the clairvoyant optimum of this size, over the phases of one client, where it is known.",
        "origin_loads_per_lookup": "Requests that reached the origin for each lookup, by the origin's own log.",
        "p99_range_ns": "The lowest and the highest p99 of the repetitions.",
        "operations_per_second": "Operations of the phase per second, all clients together.",
        "wrong_answers": "Answers that belonged to another key, or were damaged; in all repetitions.",
        "races_verdict":
            "The verdict under Thread Sanitizer: clean, racy, crashed or undecided; the worst of all scenarios.",
        "consistency": "Whether the strategy kept every promise that was checked.",
        "driver": "What runs the clients, such as `threads`; compare times within one driver only.",
        "contract":
            "How its promises differ from the usual: hard limits on entries and cost, own loads, loads never undo a write.",
        "status": "How the trials ended.",
        "change": "The change from the baseline to the candidate.",
        "interval": "The confidence interval of the change.",
        "samples":
            "The samples: repetitions, or rounds in which both sides took turns by slices of a few milliseconds.",
        "why": "What would decide an inconclusive figure, or another remark.",
    ]
}

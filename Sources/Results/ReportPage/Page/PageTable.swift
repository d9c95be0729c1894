import Reports
import TrialModel

/// Tables of the page: each cell has the value for programs beside the text for people.
struct PageTable {
    let palette: Palette

    /// A table with more columns needs a smaller font to fit a window of 1,280 pixels.
    private static let mostColumns = 11

    /// The table; columns without a value are left out, and named below.
    func html(_ table: Table) -> String {
        var unused: [String] = []
        let used = table.filteringColumns { column, cells in
            let isUsed = cells.contains { $0.value != .none && $0.text != "" }
            if !isUsed { unused.append(column.header) }
            return isUsed
        }
        guard !used.columns.isEmpty else { return "<p>Nothing was measured.</p>\n" }
        let key = used.columns.firstIndex(where: \.isOfStrategies)
        let rows = used.rows.map { cells in
            row(of: key.map { cells[$0].value.text }, zip(cells, used.columns).map(cell).joined())
        }
        let notes =
            (unused.isEmpty ? [] : [Markup.escaped("Left out, because empty: \(unused.joined(separator: ", ")).")])
            + used.notes.map(Markup.sentence)
        return grid(
            head: used.columns.map(header).joined(), rows, kind: used.columns.count > Self.mostColumns ? "dense" : "")
            + notes.map { Markup.element("p", ["class": "note"], $0) }.joined() + "\n"
    }

    /// The table below its title and its caption.
    func titled(_ table: Table, as title: String? = nil) -> String {
        Markup.text("h3", [:], title ?? table.title ?? "") + Markup.caption(table.caption) + html(table)
    }

    /// A table that scrolls sideways, and the place where its columns are explained.
    func grid(head: String, _ rows: [String], kind: String) -> String {
        let table = Markup.element(
            "table", ["class": kind],
            "<thead><tr>\(head)</tr></thead>\n<tbody>\n\(rows.map { $0 + "\n" }.joined())</tbody>")
        return "<div class=\"scroll\">\(table)</div><p class=\"meaning\" aria-live=\"polite\"></p>"
    }

    /// A row, in the style of its strategy if it is about one.
    func row(of strategy: String?, _ cells: String) -> String {
        guard let style = strategy.map(palette.style) else { return Markup.element("tr", [:], cells) }
        return Markup.element(
            "tr", ["data-s": String(style.index), "class": style.isMarked ? "marked" : ""], cells)
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

    private func header(_ column: Table.Column) -> String {
        let meaning = ColumnMeanings.of(column.name) ?? ""
        let button = Markup.text(
            "button", ["type": "button", "title": meaning], column.header.isEmpty ? "sign" : column.header)
        return Markup.element("th", ["scope": "col", "class": Self.kind(column)], button)
    }

    /// The column that names the row's strategy stays visible when a table scrolls sideways.
    private static func kind(_ column: Table.Column) -> String {
        column.isOfNumbers ? "n" : column.isOfStrategies ? "key" : ""
    }

    private func cell(_ cell: TableCell, _ column: Table.Column) -> String {
        let content = (column.isOfStrategies ? sign(cell.value.text) : "") + Markup.escaped(cell.text)
        let word = Self.words[cell.text].map { " \($0)" } ?? ""
        return Markup.element("td", ["class": Self.kind(column) + word, "data-v": cell.value.text], content)
    }

    /// A strategy's marker in its colour.
    func sign(_ strategy: String) -> String {
        let style = palette.style(strategy)
        return Markup.element(
            "svg", ["class": "sign \(style.hue)", "viewBox": "0 0 12 12", "aria-hidden": "true"],
            style.marker.svg([(6, 6)], radius: 4, isHollow: style.isMarked))
    }

    /// Verdicts that also have a colour.
    private static let words = [
        "racy": "bad", "crashed": "bad", "inconsistent": "bad", "worse": "bad", "no": "bad", "clean": "good",
        "consistent": "good", "better": "good",
    ]
}

/// The meanings of columns, by their names.
enum ColumnMeanings {
    /// The sentence; `nil` where the name needs no explanation.
    static func of(_ name: String) -> String? { own[name] ?? catalog[name] }

    private static let catalog = Dictionary(
        ColumnCatalog.descriptions.map { column in
            (column.name, column.unit.isEmpty ? column.meaning : "\(column.meaning) In \(column.unit).")
        }, uniquingKeysWith: { first, _ in first })

    /// The meanings of columns that only tables have.
    private static let own = [
        "share_given_back": "bytes_given_back / bytes_before.",
        "missed_frames": "Frames that were due while the main thread was busy with an earlier one, per frame.",
        "over_budget_frames":
            "Frames in which the cache blocked the main thread for longer than the budget, per frame.",
        "shown_at_once": "Cells that had their value in the frame in which they came into view, per cell.",
        "stale_answers_max": "The most stale answers of any repetition; those of few repetitions have a median of 0.",
        "shown_later": "Cells that got their value later, while they were visible, per cell.",
        "rank":
            "● best, = can't be told apart from the best, the rest is worse; baselines and controls are not ranked.",
        "deciding_figure":
            "The primary metric of this scenario: the median of the repetitions, and how far its interval at 95 % reaches.",
        "second_figure": "The metric that decides between strategies that are the same by the primary one.",
        "hit_p50_ns": "Half of the hits took at most this long.",
        "hit_ratio": "Hits per lookup: the mean over the measured phases, the median of the repetitions.",
        "share_of_optimum":
            "The hit ratio as a share of the clairvoyant optimum of this size, over the phases of one client, where it is known.",
        "origin_loads_per_lookup": "Requests that reached the origin for each lookup, by the origin's own log.",
        "p99_range_ns": "The lowest and the highest p99 of the repetitions.",
        "operations_per_second": "Operations of the phase per second, all clients together.",
        "wrong_answers":
            "Values of another key, damaged values, and errors that the origin did not cause; in all repetitions.",
        "races_verdict":
            "The verdict under Thread Sanitizer: clean, racy, crashed or undecided (inconclusive); the worst of all scenarios.",
        "consistency": "Whether the strategy kept every guarantee that was checked.",
        "driver": "What runs the clients, such as `threads`; compare times within one driver only.",
        "contract":
            "How its guarantees differ from the usual: hard limits on entries and cost, own loads, loads never undo a write.",
        "status": "How the trials ended.",
        "change": "The change from the baseline to the candidate.",
        "interval": "The confidence interval of the change.",
        "samples":
            "The samples: repetitions, or paired blocks in which both sides alternated in slices of a few milliseconds.",
        "why": "What would decide an inconclusive value, or another remark.",
    ]
}

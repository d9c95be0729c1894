extension ScenarioMistakeCase {
    /// Mistakes of syntax.
    static let syntax: [ScenarioMistakeCase] = [
        ScenarioMistakeCase(
            "an anchor", Line.keys, "keys: &k { kind: url, count: 100 }",
            "2:7: found an anchor, allowed: plain values; scenarios have no anchors and aliases"),
        ScenarioMistakeCase(
            "an alias", Line.keys, "keys: *k",
            "2:7: found an alias, allowed: plain values; scenarios have no anchors and aliases"),
        ScenarioMistakeCase(
            "a tag", Line.title, "title: !!str Base",
            "1:8: found a tag, allowed: plain values without a tag"),
        ScenarioMistakeCase(
            "a block text", Line.title, "title: |\n  Base",
            "1:8: found a text of several lines, allowed: a text on one line"),
        ScenarioMistakeCase(
            "a text on two lines", Line.title, "title: Base\n  and more",
            "2:3: found a text that spans several lines, allowed: a text on one line"),
        ScenarioMistakeCase(
            "quotes that are never closed", Line.title, "title: \"Base",
            "1:8: found quotes that are not closed on their line, allowed: a text on one line"),
        ScenarioMistakeCase(
            "two documents", Line.origin, "origin: { kind: server, delay: 1 ms }\n---\na: 1",
            "6:1: found the document mark ---, allowed: one document"),
        ScenarioMistakeCase(
            "a directive", Line.title, "%YAML 1.1\n---\ntitle: Base",
            "1:1: found a directive, allowed: one document without directives"),
        ScenarioMistakeCase(
            "a complex key", Line.title, "? title\n: Base",
            "1:1: found a complex key, allowed: a name as the key",
            "2:1: found a colon without a key before it, allowed: key: value on one line"),
        ScenarioMistakeCase(
            "a list as a key", Line.title, "[title]: Base",
            "1:7: found a list or mapping as a key, allowed: a name as the key"),
        ScenarioMistakeCase(
            "a tab in the indentation", Line.operations, "\toperations: 100",
            "8:1: found a tab in the indentation, allowed: spaces"),
        ScenarioMistakeCase(
            "a bracket that is never closed", Line.capacity, "capacity: { entries: 10",
            "5:1: found a text where a comma or a closing bracket should be, allowed: , ] or }"),
        ScenarioMistakeCase(
            "an extra bracket", Line.capacity, "capacity: { entries: 10 }}",
            "4:26: found broken YAML, did not find expected key while parsing a block mapping, "
                + "allowed: well-formed YAML"),
        ScenarioMistakeCase(
            "a colon in a text", Line.title, "title: Base: more",
            "1:12: found broken YAML, mapping values are not allowed in this context, allowed: one key on a "
                + "line, and quotes around a text with a colon"),
        ScenarioMistakeCase(
            "a NUL", Line.title, "title: Ba\0se",
            "1:10: found the control character U+0000, allowed: printable text, line feeds and tabs"),
        ScenarioMistakeCase(
            "an escape character", Line.title, "title: \u{1B}[31mBase",
            "1:8: found the control character U+001B, allowed: printable text, line feeds and tabs"),
        ScenarioMistakeCase(
            "a key that only escapes make a duplicate", Line.title, "\"title\": Base\n\"titl\\x65\": Base",
            "1:1: found a key twice, allowed: each key once"),
    ]
}

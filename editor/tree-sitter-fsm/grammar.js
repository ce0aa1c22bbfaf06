// The grammar of the fsm language for tree-sitter: a rule for each production of
// docs/grammar.ebnf, in its order. Words of the language are contextual: where a word and a
// name may stand in one place, what comes behind decides.

const list = (rule) => seq(rule, repeat(seq(",", rule)));
const items = (rule) => repeat(seq(rule, optional(",")));

// named is a name that may be one of words, in a place where these words may stand, too.
const named = ($, ...words) => choice($.identifier, ...words.map((word) => alias(word, $.identifier)));

// An expression is written twice: behind `when` and its like a brace begins what comes
// next, and elsewhere it may be an object or a record.
const expressions = (self, more) => ({
  [self]: ($) =>
    choice(
      ...["or", "and", "not", "compare", "is_set", "sum", "product", "negative"].map((name) => alias($[self + "_" + name], $[name])),
      $.integer, $.number, $.duration, $.string, $.boolean, $.now, $.list, $.length, $.call, $.event_field, $.place,
      alias($[self + "_parentheses"], $.parentheses),
      ...more($),
    ),
  [self + "_or"]: ($) => prec.left(1, seq($[self], "||", $[self])),
  [self + "_and"]: ($) => prec.left(2, seq($[self], "&&", $[self])),
  [self + "_not"]: ($) => prec(3, seq("!", $[self])),
  [self + "_compare"]: ($) => prec.left(4, seq($[self], choice("==", "!=", "<", "<=", ">", ">="), $[self])),
  [self + "_is_set"]: ($) => prec(8, seq(choice($.place, $.event_field), "is", optional("not"), "set")),
  [self + "_sum"]: ($) => prec.left(5, seq($[self], choice("+", "-"), $[self])),
  [self + "_product"]: ($) => prec.left(6, seq($[self], "*", $[self])),
  [self + "_negative"]: ($) => prec(7, seq("-", $[self])),
  [self + "_parentheses"]: ($) => seq("(", $[self], ")"),
});

module.exports = grammar({
  name: "fsm",
  word: ($) => $.identifier,
  extras: ($) => [/\s|\uFEFF/, $.comment],
  supertypes: ($) => [],
  conflicts: ($) => [],

  rules: {
    file: ($) => repeat(choice($.import, $.enum, $.record, $.machine, $.scenario)),
    import: ($) => seq("import", $.string),
    machine: ($) => seq("machine", field("name", $.identifier), optional(seq("(", list($.parameter), ")")), field("body", $.body)),
    parameter: ($) => seq(field("name", $.identifier), field("type", $.type), optional("?")),
    type: ($) => choice(seq($.identifier, optional($.range)), seq("[", optional($.range), "]", $.type)),
    range: ($) => seq($._bound_value, "..", $._bound_value),
    _bound_value: ($) => seq(optional("-"), choice($.integer, $.duration)),
    body: ($) => seq("{", repeat($._item), "}"),
    _item: ($) =>
      choice(
        $.activity, $.after, $.assert, $.budget, $.context, $.defer, $.do, $.entry, $.enum, $.event, $.exit, $.failures,
        $.guard, $.ignore, $.initial, $.on, $.record, $.require, $.state, $.terminal,
      ),

    context: ($) => seq("context", "{", items($.field), "}"),
    field: ($) => seq(field("name", $.identifier), field("type", $.type), optional(seq("=", $._expression))),
    enum: ($) => seq("enum", field("name", $.identifier), "{", list(field("value", $.identifier)), optional(","), "}"),
    record: ($) => seq("record", field("name", $.identifier), "{", items($.parameter), "}"),
    event: ($) => seq("event", field("name", $.identifier), optional(seq("{", items($.parameter), "}"))),
    failures: ($) => seq("failures", "{", list(field("category", $.identifier)), optional(","), "}"),
    activity: ($) =>
      seq(
        "activity", field("name", $.identifier), "(", optional(list($.parameter)), ")",
        optional(seq("->", field("result", $.identifier), repeat(seq("|", field("result", $.identifier))))),
        optional(seq("fails", list(field("category", $.identifier)))),
        optional(seq("cost", list($.cost))),
        repeat($.throttle),
      ),
    cost: ($) => seq(field("name", $.identifier), choice($.integer, $.number)),
    throttle: ($) => seq("limit", optional("-"), $.integer, choice(seq("at", "once"), seq("per", optional("-"), $.duration))),
    guard: ($) => seq("guard", field("name", $.identifier), "(", optional(list($.parameter)), ")"),
    budget: ($) => seq("budget", "{", items(seq(field("name", $.identifier), choice($.integer, $.number, $.duration))), "}"),
    assert: ($) =>
      seq("assert", choice(seq("done", field("activity", $.identifier)), $.path), choice(
        seq(choice("precedes", "excludes", seq("leads", "to")), $.path, repeat(seq("|", $.path))),
        seq("at", "most", $.integer),
      )),
    path: ($) => seq($.identifier, repeat(seq(".", $.identifier))),

    initial: ($) => seq("initial", field("target", $.identifier)),
    state: ($) => seq("state", field("name", $.identifier), field("body", $.body)),
    terminal: ($) =>
      seq("terminal", field("name", $.identifier), optional(choice("success", "failure", "cancelled")),
        optional(seq("returns", list($.identifier))), optional($.block)),
    block: ($) => seq("{", items(choice($.publish, $.assign)), "}"),
    on: ($) => seq("on", list($.trigger), $._arms),
    trigger: ($) =>
      seq(optional(seq(field("label", $.identifier), ".")), choice(
        seq(choice("done", "failed", "cancel", "over_budget"), optional(seq("(", list(field("category", $.identifier)), ")"))),
        field("event", $.identifier),
      )),
    _arms: ($) => prec.right(seq($.arm, repeat(seq("else", $.arm)))),
    arm: ($) => seq(optional(seq("when", $._condition)), $._step),
    after: ($) => seq("after", $._condition, optional("idle"), optional($.jitter), $._arms),
    jitter: ($) => seq("jitter", choice($.integer, $.number)),
    do: ($) =>
      seq("do", choice(field("activity", $.identifier), field("activity", alias("machine", $.identifier)), seq("machine", field("machine", $.identifier))),
        "(", optional(list($._expression)), ")",
        optional($.fan), optional(seq("as", field("label", $.identifier))), optional(seq("per", $.scope)), repeat($.limit)),
    fan: ($) =>
      seq("for", optional(seq(field("index", $.identifier), ",")), field("element", $.identifier), "in", $.path,
        optional(seq("limit", optional("-"), $.integer))),
    scope: ($) => choice("run", "visit", $.path),
    limit: ($) => seq(choice("timeout", "heartbeat", "progress"), $.duration),
    entry: ($) => seq("entry", $.block),
    exit: ($) => seq("exit", $.block),
    require: ($) => seq("require", $._condition, "else", "->", field("target", $.path)),
    ignore: ($) => seq("ignore", list(field("event", $.identifier))),
    defer: ($) => seq("defer", list(field("event", $.identifier))),

    _step: ($) => choice($.goto, $.retry, $.reject, $.pass, $.block),
    reject: ($) => "reject",
    pass: ($) => "ignore",
    goto: ($) => seq("->", field("target", $.path), optional($._bound), optional($.block)),
    _bound: ($) => choice("unbounded", seq("max", $.integer, optional(seq("per", $.scope)))),
    retry: ($) =>
      seq("retry", choice("unbounded", seq($.integer, optional(seq("per", $.scope)))), optional($.backoff), optional($.block)),
    backoff: ($) =>
      seq("backoff", choice(
        seq("by", $._condition),
        seq($.duration, optional(seq("..", $.duration)), optional(seq("factor", choice($.integer, $.number))), optional($.jitter)),
      )),
    publish: ($) => seq("publish", field("event", $.identifier), optional(seq("{", items($.assign), "}"))),
    assign: ($) => seq(named($, "publish"), repeat(seq(".", $.identifier)), "=", choice($.unset, $._expression)),
    unset: ($) => "unset",

    ...expressions("_expression", ($) => [$.object, $.record_literal, $.null]),
    ...expressions("_condition", () => []),
    null: ($) => "null",
    boolean: ($) => choice("true", "false"),
    now: ($) => "now",
    list: ($) => seq("[", optional(list($._expression)), "]"),
    object: ($) => seq("{", optional(seq(list($.pair), optional(","))), "}"),
    pair: ($) => seq($.string, ":", $._expression),
    event_field: ($) => seq("event", ".", $.place),
    length: ($) => seq("len", "(", choice($.place, $.event_field), ")"),
    call: ($) => seq(field("function", $.identifier), "(", optional(list($._expression)), ")"),
    place: ($) => prec.left(seq(named($, "len", "null", "attempt"), repeat(seq(".", $.identifier)))),
    record_literal: ($) => seq(field("name", $.identifier), "{", items(seq(field("field", $.identifier), "=", $._expression)), "}"),

    scenario: ($) =>
      seq("scenario", field("name", $.string), "of", field("machine", $.identifier),
        optional(seq("(", list($.assign), ")")), "{", repeat($._line), "}"),
    _line: ($) => choice($.send, $.attempt, $.wait, $.cancel, $.answer, $.expect, $.repeat),
    send: ($) => seq("send", field("event", $.identifier), optional($.fields), optional("refused")),
    attempt: ($) =>
      seq(field("activity", named($, "send", "wait", "cancel", "guard", "expect", "repeat")), optional($._index), choice(
        seq("->", choice("done", seq(field("event", $.identifier), optional($.fields))), optional($._used)),
        seq("fails", field("category", $.identifier), optional($.string), optional($._used)),
        seq("checkpoint", optional($._used)), "lost",
      )),
    _index: ($) => seq("[", $.integer, "]"),
    _used: ($) => seq("cost", list($.cost)),
    wait: ($) => seq("wait", $.duration),
    cancel: ($) => "cancel",
    answer: ($) => seq("guard", field("guard", $.identifier), "=", $.boolean),
    expect: ($) =>
      seq("expect", choice(
        "refused", "ended", "halted",
        seq("attempt", $.integer, "of", field("activity", $.identifier), optional($._index)),
        seq("published", field("event", $.identifier), optional($.fields)),
        seq("waiting", field("activity", $.identifier), optional($._index)),
        $._condition,
      )),
    repeat: ($) => seq("repeat", $.integer, "{", repeat($._line), "}"),
    fields: ($) => seq("{", items($.assign), "}"),

    identifier: ($) => /[A-Za-z_][A-Za-z0-9_]*/,
    integer: ($) => /[0-9](_?[0-9])*/,
    number: ($) => /[0-9](_?[0-9])*\.[0-9](_?[0-9])*/,
    duration: ($) => /([0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?(ns|us|ms|s|m|h|d|w))+/,
    string: ($) => /"([^"\\\n]|\\[^\n])*"/,
    comment: ($) => /\/\/[^\n]*/,
  },
});

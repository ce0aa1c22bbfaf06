// Writes src/grammar.json: what grammar.js says, in the form that generators of parsers
// read. It does what `tree-sitter generate` does first, without that program. With the
// argument - it prints that.
const fs = require("node:fs");
const path = require("node:path");

const rule = (value) => {
  if (typeof value === "string") return { type: "STRING", value };
  if (value instanceof RegExp) return { type: "PATTERN", value: value.source };
  return value;
};
const levels = (type) => (level, value) =>
  value === undefined ? { type, value: 0, content: rule(level) } : { type, value: level, content: rule(value) };

Object.assign(globalThis, {
  seq: (...members) => ({ type: "SEQ", members: members.map(rule) }),
  choice: (...members) => ({ type: "CHOICE", members: members.map(rule) }),
  optional: (value) => ({ type: "CHOICE", members: [rule(value), { type: "BLANK" }] }),
  repeat: (value) => ({ type: "REPEAT", content: rule(value) }),
  field: (name, value) => ({ type: "FIELD", name, content: rule(value) }),
  alias: (value, name) => ({ type: "ALIAS", content: rule(value), named: true, value: name.name }),
  prec: Object.assign(levels("PREC"), { left: levels("PREC_LEFT"), right: levels("PREC_RIGHT") }),
  grammar: ({ name, word, extras, conflicts, rules }) => {
    const $ = new Proxy({}, { get: (_, symbol) => ({ type: "SYMBOL", name: symbol }) });
    return {
      name,
      word: word($).name,
      rules: Object.fromEntries(Object.entries(rules).map(([symbol, make]) => [symbol, rule(make($))])),
      extras: extras($).map(rule),
      conflicts: conflicts($).map((group) => group.map((symbol) => symbol.name)),
      precedences: [],
      externals: [],
      inline: [],
      supertypes: [],
    };
  },
});

const text = JSON.stringify(require("./grammar.js"), null, 1) + "\n";
if (process.argv[2] === "-") process.stdout.write(text);
else fs.writeFileSync(path.join(__dirname, "src", "grammar.json"), text);

// Splits texts into tokens as editors do, by fsm.tmLanguage.json. On standard input it
// takes a JSON list of texts; for each it prints, on a line, a list of tokens: the bytes
// where one begins and ends, and its innermost scope.
const fs = require("node:fs");
const path = require("node:path");
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

async function main() {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  const file = path.join(__dirname, "fsm.tmLanguage.json");
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => (scope === "source.fsm" ? textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file) : null),
  });
  const grammar = await registry.loadGrammar("source.fsm");
  for (const text of JSON.parse(fs.readFileSync(0, "utf8"))) {
    console.log(JSON.stringify(tokens(grammar, text)));
  }
}

function tokens(grammar, text) {
  const found = [];
  let state = textmate.INITIAL;
  let begin = 0;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    if (result.stoppedEarly) throw new Error("the grammar takes too long for: " + line);
    state = result.ruleStack;
    for (const token of result.tokens) {
      const before = Buffer.byteLength(line.slice(0, token.startIndex));
      const piece = line.slice(token.startIndex, token.endIndex);
      if (piece.trim() === "") continue;
      const left = piece.length - piece.trimStart().length;
      const start = begin + before + left;
      found.push([start, start + Buffer.byteLength(piece.trim()), token.scopes[token.scopes.length - 1]]);
    }
    begin += Buffer.byteLength(line) + 1;
  }
  return found;
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

// @ts-check
// What can be said of the extension without VS Code: how it finds fsmc, and that what
// package.json promises is there.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { find } = require("../find");

const root = path.join(__dirname, "..");
/** @param {string} name */
const read = (name) => fs.readFileSync(path.join(root, name), "utf8");

test("fsmc is found by the setting, then on the PATH, then where go install puts it", (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "fsmc find "));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  const name = process.platform === "win32" ? "fsmc.exe" : "fsmc";
  const program = path.join(dir, "go", "bin", name);
  fs.mkdirSync(path.dirname(program), { recursive: true });
  fs.writeFileSync(program, "", { mode: 0o755 });
  const bin = path.dirname(program);
  const nothing = { PATH: dir, GOPATH: dir };

  assert.strictEqual(find("", undefined, { PATH: bin, GOPATH: dir }).path, program);
  assert.strictEqual(find("", undefined, { PATH: dir, GOPATH: path.join(dir, "go") }).path, program);
  assert.strictEqual(find("", undefined, { PATH: dir, GOPATH: dir, GOBIN: bin }).path, program);
  assert.strictEqual(find(program, undefined, nothing).path, program);
  assert.strictEqual(find("${workspaceFolder}/go/bin/" + name, dir, nothing).path, path.join(dir, "go/bin/" + name));

  assert.match(find("", undefined, nothing).why || "", /Install it/);
  assert.match(find("", undefined, { PATH: ".", GOPATH: dir }).why || "", /not on the PATH/);
  assert.match(find(path.join(dir, "none"), undefined, { PATH: bin }).why || "", /there is no program/);
  assert.match(find(dir, undefined, { PATH: bin }).why || "", /there is no program/);
  assert.match(find("fsmc", undefined, { PATH: bin }).why || "", /no absolute path/);
  assert.match(find("${workspaceFolder}/fsmc", undefined, { PATH: bin }).why || "", /no folder is open/);
});

test("what package.json names is there", () => {
  const about = JSON.parse(read("package.json"));
  const code = read("extension.js");
  for (const { command } of about.contributes.commands) {
    assert.ok(code.includes(`registerCommand("${command}"`), command);
  }
  for (const setting of Object.keys(about.contributes.configuration.properties)) {
    const short = setting.replace("fsmc.", "");
    assert.ok(code.includes(`"${short}"`) || short === "trace.server", setting);
    assert.ok(read("README.md").includes("`" + setting + "`"), setting);
  }
  for (const file of [about.contributes.languages[0].configuration, about.contributes.snippets[0].path]) {
    JSON.parse(read(file));
  }
  assert.strictEqual(about.contributes.grammars[0].path, "./dist/fsm.tmLanguage.json");
  assert.match(read("build"), /cp \.\.\/textmate\/fsm\.tmLanguage\.json dist/);
  const packed = fs.existsSync(path.join(root, "dist")) ? read("dist/fsm.tmLanguage.json") : undefined;
  if (packed !== undefined) assert.strictEqual(packed, read("../textmate/fsm.tmLanguage.json"));
});

test("lines are indented as fsmc fmt does", () => {
  const { indentationRules } = JSON.parse(read("language-configuration.json"));
  const more = new RegExp(indentationRules.increaseIndentPattern);
  const less = new RegExp(indentationRules.decreaseIndentPattern);
  const file = path.join(root, "../../examples/codereview/codereview.fsm");
  let depth = 0;
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    if (line.trim() === "") continue;
    if (less.test(line)) depth--;
    const spaces = line.length - line.trimStart().length;
    // A line that continues the one before it stands further to the right.
    if (!/^\s*(else|->|\||retry|\/\/)/.test(line)) assert.strictEqual(spaces, 4 * depth, line);
    if (more.test(line)) depth++;
  }
  assert.strictEqual(depth, 0);
});

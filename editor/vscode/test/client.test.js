// @ts-check
// The language server as VS Code meets it. With FSMC_EDITS=10000 it is the long form, in
// which a person rests after each key for longer than the server waits.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, test } = require("node:test");
const { Editor, binary, repository, rpc } = require("./editor");
const { session } = require("./session");

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "fsmc-editor"));
after(() => fs.rmSync(dir, { recursive: true }));
const fsmc = binary(dir);
const order = fs.readFileSync(path.join(repository, "examples/orderfulfillment/orderfulfillment.fsm"), "utf8");
const edits = Number(process.env.FSMC_EDITS || 600);

/** @param {import("node:test").TestContext} t */
async function begun(t) {
  const folder = fs.mkdtempSync(path.join(dir, "folder"));
  const editor = new Editor(fsmc, folder);
  t.after(() => editor.process.kill());
  await editor.begin();
  return editor;
}

/**
 * No finding that was shown at the end of one version and at the end of the next one is
 * missing in between.
 *
 * @param {import("./editor").Wave[]} waves
 */
function flashes(waves) {
  /** @param {import("./editor").Wave} w */
  const keys = (w) => w.findings.map((f) => f.rule + " " + f.message);
  const missing = [];
  let before = /** @type {string[]} */ ([]);
  for (let i = 0; i < waves.length; ) {
    let end = i;
    while (end + 1 < waves.length && waves[end + 1].version === waves[i].version) end++;
    const last = keys(waves[end]);
    const kept = before.filter((k) => last.includes(k));
    for (let n = i; n < end; n++) {
      const shown = keys(waves[n]);
      missing.push(...kept.filter((k) => !shown.includes(k)).map((k) => `version ${waves[n].version}: ${k}`));
      // What has come within a version stays in it, if it is there at its end.
      if (n > i) missing.push(...keys(waves[n - 1]).filter((k) => last.includes(k) && !shown.includes(k)).map((k) => `version ${waves[n].version} again: ${k}`));
    }
    before = last;
    i = end + 1;
  }
  return missing;
}

test("a session over OrderFulfillment, key by key: findings are those of fsmc check, and nothing flashes", async (t) => {
  const editor = await begun(t);
  await editor.open("order.fsm", order);
  await editor.agrees("order.fsm");
  let keys = 0;
  const key = async (/** @type {number} */ start, /** @type {number} */ end, /** @type {string} */ text) => {
    await editor.edit("order.fsm", start, end, text);
    const { version } = editor.text("order.fsm");
    await editor.until("order.fsm", (w) => w.version === version, `findings of version ${version}`);
    if (edits >= 10_000) await new Promise((resolve) => setTimeout(resolve, 200));
    keys++;
  };
  for (const part of session(order)) {
    let at = editor.text("order.fsm").text.indexOf(part.behind) + part.behind.length;
    assert.ok(at >= part.behind.length, part.behind);
    for (let n = 0; n < part.erase; n++, at--) await key(at - 1, at, "");
    for (const sign of part.type) {
      await key(at, at, sign);
      at += sign.length;
    }
    await editor.agrees("order.fsm");
    const whole = await begun(t);
    await whole.open("order.fsm", editor.text("order.fsm").text);
    const uri = editor.uri("order.fsm");
    assert.deepStrictEqual(await editor.reading("order.fsm"), await whole.reading("order.fsm"), uri);
    assert.strictEqual(await whole.end(), 0);
  }
  assert.strictEqual(editor.text("order.fsm").text, order, "the session ends where it began");
  const waves = editor.waves.get(editor.uri("order.fsm")) || [];
  t.diagnostic(`${keys} keys, ${waves.length} messages of findings`);
  assert.deepStrictEqual(flashes(waves), []);
  assert.deepStrictEqual(editor.messages, []);
  assert.strictEqual(await editor.end(), 0);
});

test("random edits: what the server has is what the editor has", async (t) => {
  const editor = await begun(t);
  const text = fs.readFileSync(path.join(repository, "examples/codereview/codereview.fsm"), "utf8");
  const pieces = ["", " ", "\n", "\r\n", "{", "}", "-> Failed", "on failed -> Failed", "state A { }", "é", "中", "🙂🙂", "// 🙂\n", '"', "max 3", "terminal T\n"];
  const random = dice(7);
  await editor.open("a.fsm", text);
  for (let round = 0; round < 12; round++) {
    for (let n = 0; n < 4; n++) {
      const now = editor.text("a.fsm").text;
      const start = whole(now, Math.floor(random() * (now.length + 1)));
      const end = whole(now, Math.min(now.length, start + Math.floor(random() * 12)));
      await editor.edit("a.fsm", start, Math.max(start, end), pieces[Math.floor(random() * pieces.length)]);
    }
    await editor.agrees("a.fsm");
    if (round % 4 === 3) {
      editor.text("a.fsm").text = text;
      await editor.change("a.fsm", [{ text }]);
    }
  }
  assert.deepStrictEqual(flashes(editor.waves.get(editor.uri("a.fsm")) || []), []);
  assert.strictEqual(await editor.end(), 0);
});

test(`${edits} edits: memory is flat, and between edits the server rests`, { skip: process.platform !== "linux" }, async (t) => {
  const editor = await begun(t);
  await editor.open("order.fsm", order);
  const at = order.indexOf("initial Unpaid");
  /** @type {number[]} */
  const sizes = [];
  for (let n = 0; n < edits; n++) {
    if (n % 2 === 0) await editor.edit("order.fsm", at, at, "x");
    else await editor.edit("order.fsm", at, at + 1, "");
    if (n % 10 === 9) await editor.reading("order.fsm");
    if (n % (edits / 10) === edits / 10 - 1) sizes.push(resident(editor));
  }
  await editor.agrees("order.fsm");
  t.diagnostic(`MiB resident after each tenth: ${sizes.join(" ")}`);
  const early = Math.max(...sizes.slice(0, 3));
  assert.ok(sizes[9] < early * 1.5 + 32, `it grew: ${sizes}`);

  // Once all waves are over, nothing is left to do. What is measured is time on a core, not
  // that of a clock, so that other programs do not matter; the last wave may take 10 s.
  let used = cpu(editor);
  for (let second = 0; second < 30; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const now = cpu(editor);
    if (now - used <= 2) {
      assert.strictEqual(await editor.end(), 0);
      return;
    }
    used = now;
  }
  assert.fail("the server does not come to rest");
});

test("a name is renamed in other folders of the project, and in scenarios", async (t) => {
  const editor = await begun(t);
  /** @type {Record<string, string>} */
  const files = {
    "go.mod": "module example\n",
    "lib/types.fsm": "record Order { total int 0..9 }\n",
    "lib/ship.fsm": 'import "types.fsm"\nmachine Ship(order Order) {\n    initial A\n    state A {\n        on done when order.total > 3 -> Sent else -> Sent\n    }\n    terminal Sent\n}\n',
    "app/shop_test.fsm": 'import "../lib/ship.fsm"\nimport "../lib/types.fsm"\nscenario "it is sent" of Ship(order = Order { total = 4 }) {\n    expect Sent\n}\n',
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(editor.dir, name)), { recursive: true });
    fs.writeFileSync(path.join(editor.dir, name), text);
  }
  await editor.open("lib/types.fsm", files["lib/types.fsm"]);
  await editor.open("lib/ship.fsm", files["lib/ship.fsm"]);
  /** @param {string} name @param {string} word @param {string} newName */
  const renamed = async (name, word, newName) => {
    const before = files[name].slice(0, files[name].indexOf(word)).split("\n");
    const position = { line: before.length - 1, character: before[before.length - 1].length };
    const answer = await editor.connection.sendRequest(rpc.RenameRequest.type, { textDocument: { uri: editor.uri(name) }, position, newName });
    const uris = Object.keys(answer?.changes || {}).sort();
    return uris.map((uri) => uri.slice(editor.uri("").length).replace(/^\//, "") + " " + answer?.changes?.[uri].length);
  };
  assert.deepStrictEqual(await renamed("lib/types.fsm", "total", "sum"), ["app/shop_test.fsm 1", "lib/ship.fsm 1", "lib/types.fsm 1"]);
  assert.deepStrictEqual(await renamed("lib/types.fsm", "Order", "Purchase"), ["app/shop_test.fsm 1", "lib/ship.fsm 1", "lib/types.fsm 1"]);
  assert.deepStrictEqual(await renamed("lib/ship.fsm", "Ship", "Send"), ["app/shop_test.fsm 1", "lib/ship.fsm 1"]);
  assert.deepStrictEqual(await renamed("lib/ship.fsm", "Sent", "Gone"), ["app/shop_test.fsm 1", "lib/ship.fsm 3"]);
  assert.strictEqual(await editor.end(), 0);
});

test("a loop, its fix, and then lenses, hints and hover, which the server says when it knows them", async (t) => {
  const editor = await begun(t);
  const name = "loop.fsm";
  await editor.open(
    name,
    `// 🙂
machine Loop {
    event Back
    activity ask() cost usd 0.5
    initial A
    assert B precedes Done
    state A {
        do ask() timeout 1m
        on done -> B
        on failed retry 3 else -> Failed
    }
    state B {
        after 1h -> Done
        on Back -> A
    }
    terminal Done
    terminal Failed failure
}
`,
  );
  await editor.until(name, (w) => w.findings.some((f) => f.rule === "unbounded-loop"), "a loop without end");
  const textDocument = { uri: editor.uri(name) };
  const at = { line: 13, character: 17 };
  const actions = await editor.connection.sendRequest(rpc.CodeActionRequest.type, { textDocument, range: { start: at, end: at }, context: { diagnostics: [] } });
  const fix = /** @type {import("vscode-languageserver-protocol").CodeAction | undefined} */ (actions?.find((a) => a.title.includes("max 3")));
  const edits = fix?.edit?.changes?.[textDocument.uri];
  assert.ok(edits, JSON.stringify(actions));
  editor.refreshed = { lenses: 0, hints: 0 };
  await editor.change(name, edits.map((e) => ({ range: e.range, text: e.newText })));
  await editor.until(name, (w) => w.version === 2 && w.findings.length === 0, "no finding");
  while (editor.refreshed.lenses === 0 || editor.refreshed.hints === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const lenses = await editor.connection.sendRequest(rpc.CodeLensRequest.type, { textDocument });
  assert.deepStrictEqual(lenses?.map((l) => `${l.range.start.line + 1} ${l.command?.title}`), [
    "2 worst case: 20 steps, 4h16m28s, 8 usd",
    "2 diagram",
    "2 simulate",
    "6 proved",
  ]);
  const run = await editor.connection.sendRequest(rpc.ExecuteCommandRequest.type, { command: lenses?.[0].command?.command || "", arguments: lenses?.[0].command?.arguments });
  assert.match(run, /steps: A \(failed\(/);
  const state = await editor.connection.sendRequest(rpc.HoverRequest.type, { textDocument, position: { line: 6, character: 10 } });
  assert.match(JSON.stringify(state?.contents), /worst visit: 4m7s, 2 usd; entered at most 4 times in a run/);
  const hints = await editor.connection.sendRequest(rpc.InlayHintRequest.type, { textDocument, range: { start: { line: 0, character: 0 }, end: { line: 18, character: 0 } } });
  assert.deepStrictEqual(hints?.map((h) => h.label).sort(), ["16 in a run", "4 attempts, 7s of waiting at most"]);
  assert.strictEqual(await editor.end(), 0);
});

test("a file that is imported changes on disk, and goes away", async (t) => {
  const editor = await begun(t);
  while (editor.registered.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepStrictEqual(editor.registered.map((r) => [r.method, r.registerOptions]), [["workspace/didChangeWatchedFiles", { watchers: [{ globPattern: "**/*.fsm" }] }]]);
  const types = path.join(editor.dir, "lib", "types.fsm");
  fs.mkdirSync(path.dirname(types));
  fs.writeFileSync(types, "record Order { total int 0..9 }\n");
  await editor.open("shop.fsm", 'import "lib/types.fsm"\nmachine Shop(order Order) {\n    initial A\n    state A {\n        on done when order.total > 3 -> T else -> T\n    }\n    terminal T\n}\n');
  const told = async (/** @type {import("vscode-languageserver-protocol").FileChangeType} */ type, /** @type {string} */ message) => {
    await editor.connection.sendNotification(rpc.DidChangeWatchedFilesNotification.type, { changes: [{ uri: editor.uri("lib/types.fsm"), type }] });
    await editor.until("shop.fsm", (w) => (message === "" ? w.findings.length === 0 : w.findings.some((f) => f.message.includes(message))), message || "no finding");
  };
  await editor.until("shop.fsm", (w) => w.findings.length === 0, "no finding");
  fs.writeFileSync(types, "record Order { sum int 0..9 }\n");
  await told(rpc.FileChangeType.Changed, 'has no field "total"');
  fs.rmSync(types);
  await told(rpc.FileChangeType.Deleted, "leads nowhere");
  fs.writeFileSync(types, "record Order { total int 0..9 }\n");
  await told(rpc.FileChangeType.Created, "");
  assert.strictEqual(await editor.end(), 0);
});

test("what no editor should send is answered, and the server lives", async (t) => {
  const editor = await begun(t);
  await editor.open("a.fsm", "machine M {\n    initial T\n    terminal T\n}\n");
  await editor.agrees("a.fsm");
  await assert.rejects(editor.connection.sendRequest("no/such"), { code: rpc.ErrorCodes.MethodNotFound });
  await assert.rejects(editor.connection.sendRequest("textDocument/hover", { textDocument: { uri: "file:///none.fsm" }, position: { line: 0, character: 0 } }));
  await assert.rejects(editor.connection.sendRequest("fsm/diagram", { textDocument: { uri: editor.uri("a.fsm") }, machine: "None" }), /there is no machine "None"/);
  // A header that is cut off, and nonsense before one.
  editor.process.stdin.write("Content-Len\r\nnonsense\r\n\r\n");
  editor.process.stdin.write("Content-Length: 3\r\n\r\n{x}");
  // An edit outside the text: the text is lost, which is said, until it is sent as a whole.
  await editor.change("a.fsm", [{ range: { start: { line: 90, character: 0 }, end: { line: 91, character: 0 } }, text: "x" }]);
  await editor.until("a.fsm", (w) => w.findings.some((f) => f.message.includes("has lost this text")), "a finding at the start");
  await editor.change("a.fsm", [{ text: editor.text("a.fsm").text }]);
  await editor.agrees("a.fsm");
  // A text, and a message that is none, of 64 MiB and more. Memory stays within bounds.
  await editor.open("b.fsm", "// long\n".repeat((8 << 20) + 1));
  await editor.until("b.fsm", (w) => w.findings.some((f) => f.message.includes("64 MiB")), "a finding about the size");
  await editor.connection.sendNotification(rpc.DidCloseTextDocumentNotification.type, { textDocument: { uri: editor.uri("b.fsm") } });
  await new Promise((written) => editor.process.stdin.write(`Content-Length: ${64 << 20}\r\n\r\n` + " ".repeat(64 << 20), written));
  const drawn = await editor.connection.sendRequest("fsm/diagram", { textDocument: { uri: editor.uri("a.fsm") } });
  assert.match(/** @type {{ svg: string }} */ (drawn).svg, /^<svg/);
  if (process.platform === "linux") assert.ok(resident(editor, "VmHWM") < 1024, `it has used ${resident(editor, "VmHWM")} MiB`);
  assert.strictEqual(await editor.end(), 0);
});

/** MiB of the server that are in memory; the most so far, with VmHWM. @param {InstanceType<typeof Editor>} editor */
function resident(editor, what = "VmRSS") {
  const found = new RegExp(what + ":\\s+(\\d+) kB").exec(fs.readFileSync(`/proc/${editor.process.pid}/status`, "utf8"));
  return Math.round(Number(found?.[1]) / 1024);
}

/** Hundredths of a second that the server has had a core. @param {InstanceType<typeof Editor>} editor */
function cpu(editor) {
  const fields = fs.readFileSync(`/proc/${editor.process.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Random numbers that are the same each time (mulberry32). @param {number} seed */
function dice(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** A place near at that parts neither a line end nor a sign of two units. @param {string} text @param {number} at */
function whole(text, at) {
  const low = (/** @type {number} */ n) => text.charCodeAt(n) >= 0xdc00 && text.charCodeAt(n) < 0xe000;
  while (at > 0 && at < text.length && (low(at) || (text[at] === "\n" && text[at - 1] === "\r"))) at--;
  return at;
}

// @ts-check
// An editor without a window: it starts the real fsmc, and speaks with it through the
// library that VS Code's own clients use.
"use strict";

const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const rpc = require("vscode-languageserver-protocol/node");

/**
 * @typedef {{ version: number | undefined, findings: Finding[] }} Wave one message of findings
 * @typedef {{ rule: string, message: string, line: number, column: number }} Finding
 */

const repository = path.join(__dirname, "../../..");

/** Builds fsmc, unless FSMC names one. @param {string} dir */
function binary(dir) {
  if (process.env.FSMC) return process.env.FSMC;
  const file = path.join(dir, process.platform === "win32" ? "fsmc.exe" : "fsmc");
  execFileSync("go", ["build", "-o", file, "./cmd/fsmc"], { cwd: repository, env: { ...process.env, CGO_ENABLED: "0" } });
  return file;
}

class Editor {
  /**
   * @param {string} fsmc
   * @param {string} dir the folder that is open
   */
  constructor(fsmc, dir) {
    this.fsmc = fsmc;
    this.dir = dir;
    // An editor's memory is measured as users have it, however the tests around collect.
    this.process = spawn(fsmc, ["lsp"], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, GOGC: "100" } });
    this.ended = new Promise((resolve) => this.process.on("exit", (code) => resolve(code)));
    this.connection = rpc.createProtocolConnection(
      new rpc.StreamMessageReader(this.process.stdout),
      new rpc.StreamMessageWriter(this.process.stdin),
    );
    /** @type {Map<string, Wave[]>} by URI */
    this.waves = new Map();
    /** @type {string[]} */
    this.messages = [];
    /** @type {Set<() => void>} */
    this.waiting = new Set();
    /** @type {Map<string, { version: number, text: string }>} by name */
    this.texts = new Map();
    /** How often the server has asked to look at lenses and hints again. */
    this.refreshed = { lenses: 0, hints: 0 };
    /** @type {import("vscode-languageserver-protocol").Registration[]} */
    this.registered = [];
    this.connection.onRequest(rpc.CodeLensRefreshRequest.type, () => void this.refreshed.lenses++);
    this.connection.onRequest(rpc.InlayHintRefreshRequest.type, () => void this.refreshed.hints++);
    this.connection.onRequest(rpc.RegistrationRequest.type, (p) => void this.registered.push(...p.registrations));
    this.connection.onNotification(rpc.PublishDiagnosticsNotification.type, (p) => this.found(p));
    this.connection.onNotification(rpc.ShowMessageNotification.type, (p) => {
      this.messages.push(p.message);
    });
    this.connection.listen();
  }

  async begin() {
    const answer = await this.connection.sendRequest(rpc.InitializeRequest.type, {
      processId: process.pid,
      rootUri: pathToFileURL(this.dir).toString(),
      workspaceFolders: null,
      capabilities: {
        general: { positionEncodings: [rpc.PositionEncodingKind.UTF16] },
        workspace: { codeLens: { refreshSupport: true }, inlayHint: { refreshSupport: true }, didChangeWatchedFiles: { dynamicRegistration: true } },
      },
    });
    await this.connection.sendNotification(rpc.InitializedNotification.type, {});
    return answer;
  }

  async end() {
    await this.connection.sendRequest(rpc.ShutdownRequest.type);
    await this.connection.sendNotification(rpc.ExitNotification.type);
    const code = await this.ended;
    this.connection.dispose();
    return code;
  }

  /** @param {import("vscode-languageserver-protocol").PublishDiagnosticsParams} p */
  found(p) {
    const findings = p.diagnostics.map((d) => ({
      rule: String(d.code ?? ""),
      message: String(d.message).split("\n")[0],
      line: d.range.start.line + 1,
      column: d.range.start.character + 1,
    }));
    const list = this.waves.get(p.uri) || [];
    list.push({ version: p.version, findings });
    this.waves.set(p.uri, list);
    for (const wake of this.waiting) wake();
  }

  /** @param {string} name */
  uri(name) {
    return pathToFileURL(path.join(this.dir, name)).toString();
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  async open(name, text) {
    this.texts.set(name, { version: 1, text });
    const textDocument = { uri: this.uri(name), languageId: "fsm", version: 1, text };
    await this.connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, { textDocument });
  }

  /** @param {string} name */
  text(name) {
    const open = this.texts.get(name);
    if (!open) throw new Error(name + " is not open");
    return open;
  }

  /**
   * Replaces what stands from start to end, in UTF-16 units, as an edit.
   *
   * @param {string} name
   * @param {number} start
   * @param {number} end
   * @param {string} text
   */
  async edit(name, start, end, text) {
    const open = this.text(name);
    const range = { start: placeOf(open.text, start), end: placeOf(open.text, end) };
    open.text = open.text.slice(0, start) + text + open.text.slice(end);
    await this.change(name, [{ range, text }]);
  }

  /**
   * @param {string} name
   * @param {import("vscode-languageserver-protocol").TextDocumentContentChangeEvent[]} contentChanges
   */
  async change(name, contentChanges) {
    const open = this.text(name);
    open.version++;
    await this.connection.sendNotification(rpc.DidChangeTextDocumentNotification.type, {
      textDocument: { uri: this.uri(name), version: open.version },
      contentChanges,
    });
  }

  /**
   * Waits until what is shown of a text is what want says; an error tells what is shown instead.
   *
   * @param {string} name
   * @param {(wave: Wave) => boolean} want
   * @param {string} what
   */
  async until(name, want, what) {
    const latest = () => this.waves.get(this.uri(name))?.at(-1);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    await new Promise((resolve, reject) => {
      const look = () => {
        const wave = latest();
        if (!wave || !want(wave)) return;
        this.waiting.delete(look);
        resolve(undefined);
      };
      timer = setTimeout(() => {
        this.waiting.delete(look);
        reject(new Error(`waited for ${what}; shown is ${JSON.stringify(latest(), null, 1)}`));
      }, 120_000);
      this.waiting.add(look);
      look();
    });
    clearTimeout(timer);
  }

  /**
   * Waits until the findings of a text are those of `fsmc check` about the same text.
   *
   * @param {string} name
   */
  async agrees(name) {
    const { text, version } = this.text(name);
    const want = check(this.fsmc, text);
    await this.until(name, (w) => w.version === version && sorted(w.findings) === want, "the findings of fsmc check, " + want);
  }

  /** What one more server says of the whole text, and this one of its edits: symbols, tokens. @param {string} name */
  async reading(name) {
    const textDocument = { uri: this.uri(name) };
    return {
      symbols: await this.connection.sendRequest(rpc.DocumentSymbolRequest.type, { textDocument }),
      tokens: await this.connection.sendRequest(rpc.SemanticTokensRequest.type, { textDocument }),
      folding: await this.connection.sendRequest(rpc.FoldingRangeRequest.type, { textDocument }),
    };
  }
}

/**
 * @param {string} text
 * @param {number} offset
 */
function placeOf(text, offset) {
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  return { line, character: offset - (before.lastIndexOf("\n") + 1) };
}

/** What fsmc check finds in a text. @param {string} fsmc @param {string} text */
function check(fsmc, text) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "fsmc-check"));
  try {
    const file = path.join(dir, "text.fsm");
    fs.writeFileSync(file, text);
    let out;
    try {
      out = execFileSync(fsmc, ["check", "--format", "json", file], { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 64 << 20 });
    } catch (error) {
      out = /** @type {{ stdout: Buffer }} */ (error).stdout; // it has found something
    }
    const lines = text.split("\n");
    return sorted(
      JSON.parse(out.toString()).diagnostics.map((/** @type {any} */ d) => ({
        rule: d.rule,
        message: d.message,
        line: d.start.line,
        // fsmc check counts bytes, an editor UTF-16 units.
        column: Buffer.from(lines[d.start.line - 1] || "").subarray(0, d.start.column - 1).toString().length + 1,
      })),
    );
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

/** @param {Finding[]} findings */
function sorted(findings) {
  return findings.map((f) => `${f.line}:${f.column} ${f.rule} ${f.message}`).sort().join("\n");
}

module.exports = { Editor, binary, check, repository, rpc };

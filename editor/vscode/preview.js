// @ts-check
// The picture of a machine beside its text, both ways: a click on a state selects it in
// the text, and the state at the cursor is lit in the picture.
"use strict";

const crypto = require("node:crypto");
const vscode = require("vscode");

/**
 * @typedef {{ id: string, range: import("vscode-languageclient").Range, name: import("vscode-languageclient").Range }} State
 * @typedef {{ machine: string, svg: string, states: State[] }} Diagram
 * @typedef {(uri: string, machine: string, theme: string) => Promise<Diagram>} Draw
 */

/** How long a text is at rest before it is drawn again, in milliseconds. */
const quiet = 200;

class Preview {
  /**
   * @param {vscode.Uri} extension its folder
   * @param {Draw} draw asks the server
   * @param {vscode.Uri} uri of the text
   * @param {string} machine
   * @param {() => void} closed
   */
  constructor(extension, draw, uri, machine, closed) {
    this.draw = draw;
    this.uri = uri;
    this.machine = machine;
    /** @type {State[]} */
    this.states = [];
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    const media = vscode.Uri.joinPath(extension, "media");
    this.panel = vscode.window.createWebviewPanel("fsmc.diagram", machine, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, {
      enableScripts: true,
      localResourceRoots: [media],
      retainContextWhenHidden: true,
    });
    const web = this.panel.webview;
    /** @param {string} name */
    const asset = (name) => web.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
    web.html = page(web.cspSource, asset("preview.js"), asset("preview.css"));
    this.listeners = [
      web.onDidReceiveMessage((message) => this.told(message)),
      vscode.workspace.onDidChangeTextDocument((e) => this.isOf(e.document) && this.soon()),
      vscode.window.onDidChangeTextEditorSelection((e) => this.isOf(e.textEditor.document) && this.light(e.textEditor)),
      vscode.window.onDidChangeActiveColorTheme(() => this.show()),
    ];
    this.panel.onDidDispose(() => {
      clearTimeout(this.timer);
      for (const listener of this.listeners) listener.dispose();
      closed();
    });
  }

  /** @param {vscode.TextDocument} document */
  isOf(document) {
    return document.uri.toString() === this.uri.toString();
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), quiet);
  }

  /** Draws the text as it is now; where that cannot be drawn, the last picture stays, and says why. */
  async show() {
    const kind = vscode.window.activeColorTheme.kind;
    const light = kind === vscode.ColorThemeKind.Light || kind === vscode.ColorThemeKind.HighContrastLight;
    try {
      const diagram = await this.draw(this.uri.toString(), this.machine, light ? "light" : "dark");
      this.states = diagram.states || [];
      this.panel.title = diagram.machine;
      await this.panel.webview.postMessage({ svg: diagram.svg, states: this.states.map((s) => s.id) });
      const editor = vscode.window.visibleTextEditors.find((e) => this.isOf(e.document));
      if (editor) this.light(editor);
    } catch (error) {
      await this.panel.webview.postMessage({ why: error instanceof Error ? error.message : String(error) });
    }
  }

  /** @param {vscode.TextEditor} editor */
  light(editor) {
    const at = editor.selection.active;
    const around = this.states.filter((s) => rangeOf(s.range).contains(at));
    const inner = around.findLast((s) => around.every((other) => rangeOf(other.range).contains(rangeOf(s.range))));
    void this.panel.webview.postMessage({ lit: inner ? inner.id : "" });
  }

  /** @param {{ ready?: boolean, state?: string }} message */
  async told(message) {
    if (message.ready) return this.show();
    const state = this.states.find((s) => s.id === message.state);
    if (!state) return;
    const open = vscode.window.visibleTextEditors.find((e) => this.isOf(e.document));
    const selection = rangeOf(state.name);
    await vscode.window.showTextDocument(this.uri, { viewColumn: open ? open.viewColumn : vscode.ViewColumn.One, selection });
  }
}

/** @param {import("vscode-languageclient").Range} r */
function rangeOf(r) {
  return new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
}

/**
 * The page around a picture. Nothing in it is loaded but our script and sheet.
 *
 * @param {string} source of what the extension ships
 * @param {string} script
 * @param {string} sheet
 */
function page(source, script, sheet) {
  const nonce = crypto.randomBytes(16).toString("base64");
  return `<!DOCTYPE html>
<html lang="en" data-nonce="${nonce}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${source}; style-src ${source} 'nonce-${nonce}'">
<title>fsmc</title>
<link rel="stylesheet" href="${sheet}">
</head>
<body>
<p id="why" role="status" hidden></p>
<main id="picture" tabindex="0" aria-label="Diagram"></main>
<script src="${script}"></script>
</body>
</html>
`;
}

module.exports = { Preview, page };

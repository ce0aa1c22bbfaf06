// @ts-check
// What VS Code starts: it runs `fsmc lsp` as the language server, and adds what is the
// editor's own, the diagram beside the text and the commands of code lenses.
"use strict";

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");
const { find, installPage } = require("./find");
const { Preview } = require("./preview");

/** @type {LanguageClient | undefined} */
let client;
/** @type {vscode.LogOutputChannel | undefined} */
let output;
/** Open diagrams, by text and machine. @type {Map<string, InstanceType<typeof Preview>>} */
const previews = new Map();

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  output = vscode.window.createOutputChannel("fsmc", { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("fsmc.restart", restart),
    vscode.commands.registerCommand("fsmc.diagram", (uri, machine) => diagram(context, uri, machine)),
    vscode.commands.registerCommand("fsmc.simulate", simulate),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("fsmc.path") || e.affectsConfiguration("fsmc.inlayHints")) void restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void restart()),
  );
  await start();
}

async function deactivate() {
  await stop();
}

/** The fsmc that is installed; where there is none a person is told, and how to get it. */
function program() {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const found = find(vscode.workspace.getConfiguration("fsmc").get("path", ""), folder, process.env);
  if (found.path === undefined) {
    void missing(found.why);
  }
  return found.path;
}

/** @param {string} why */
async function missing(why) {
  const install = "How to Install";
  const settings = "Open Settings";
  const chosen = await vscode.window.showErrorMessage(why, install, settings);
  if (chosen === install) await vscode.env.openExternal(vscode.Uri.parse(installPage));
  if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "fsmc.path");
}

async function start() {
  const command = program();
  if (command === undefined) return;
  client = new LanguageClient(
    "fsmc",
    "fsmc",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ language: "fsm" }],
      initializationOptions: { inlayHints: vscode.workspace.getConfiguration("fsmc").get("inlayHints", true) },
      outputChannel: output,
    },
  );
  try {
    await client.start();
    for (const preview of previews.values()) await preview.show();
  } catch (error) {
    client = undefined;
    void missing(`"${command} lsp" did not start: ${error instanceof Error ? error.message : error}. It may be too old.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.state === State.Running) await old.stop();
}

async function restart() {
  await stop();
  await start();
}

/**
 * @param {string} uri
 * @param {string} machine
 * @param {string} theme
 * @returns {Promise<import("./preview").Diagram>}
 */
async function draw(uri, machine, theme) {
  if (!client) throw new Error("The language server does not run.");
  return client.sendRequest("fsm/diagram", { textDocument: { uri }, machine, theme });
}

/**
 * Opens the diagram of a machine: the one of a code lens, or the one at the cursor.
 *
 * @param {vscode.ExtensionContext} context
 * @param {string | vscode.Uri | undefined} uri
 * @param {unknown} machine
 */
async function diagram(context, uri, machine) {
  const editor = vscode.window.activeTextEditor;
  const text = typeof uri === "string" ? vscode.Uri.parse(uri) : uri || editor?.document.uri;
  if (!text) return;
  let name = typeof machine === "string" ? machine : "";
  if (name === "") {
    try {
      name = await machineAt(text, editor);
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      return;
    }
  }
  const key = JSON.stringify([text.toString(), name]);
  const open = previews.get(key);
  if (open) {
    open.panel.reveal(undefined, true);
    return;
  }
  previews.set(key, new Preview(context.extensionUri, draw, text, name, () => previews.delete(key)));
}

/**
 * @param {vscode.Uri} text
 * @param {vscode.TextEditor | undefined} editor
 */
async function machineAt(text, editor) {
  if (!client) throw new Error("The language server does not run.");
  const at = editor?.document.uri.toString() === text.toString() ? editor.selection.active : undefined;
  const position = at && { line: at.line, character: at.character };
  /** @type {import("./preview").Diagram} */
  const drawn = await client.sendRequest("fsm/diagram", { textDocument: { uri: text.toString() }, position });
  return drawn.machine;
}

/**
 * Simulates a machine in a terminal.
 *
 * @param {string | vscode.Uri | undefined} uri
 * @param {unknown} machine
 */
async function simulate(uri, machine) {
  const text = typeof uri === "string" ? vscode.Uri.parse(uri) : uri || vscode.window.activeTextEditor?.document.uri;
  const command = program();
  if (!text || command === undefined) return;
  const document = await vscode.workspace.openTextDocument(text);
  if (document.isDirty) await document.save();
  const args = ["simulate", ...(typeof machine === "string" ? ["--machine", machine] : []), text.fsPath];
  const options = { name: "fsmc simulate", shellPath: command, shellArgs: args };
  vscode.window.createTerminal(options).show();
}

module.exports = { activate, deactivate };

// @ts-check
// Finds the fsmc that is installed. It looks at files alone, and knows nothing of VS Code.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/** Where a person reads how to install fsmc. */
const installPage = "https://github.com/fsmc-dev/fsmc/blob/main/docs/install.md";

/**
 * The path of fsmc, or why there is none.
 *
 * @param {string} setting what the setting fsmc.path says; empty: look on the PATH
 * @param {string | undefined} folder of the workspace, which `${workspaceFolder}` stands for
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ path: string, why?: undefined } | { path?: undefined, why: string }}
 */
function find(setting, folder, env) {
  if (setting.trim() === "") {
    const found = onPath(env);
    if (found) return { path: found };
    return { why: "fsmc is not on the PATH: there are colours, but no findings. Install it, or set fsmc.path." };
  }
  let wanted = setting.trim().replace(/^~(?=$|[/\\])/, os.homedir());
  if (wanted.includes("${workspaceFolder}")) {
    if (!folder) return { why: `fsmc.path is "${setting}", and no folder is open.` };
    wanted = wanted.replaceAll("${workspaceFolder}", folder);
  }
  if (!path.isAbsolute(wanted)) return { why: `fsmc.path is "${setting}", which is no absolute path.` };
  if (!runs(wanted)) return { why: `fsmc.path is "${setting}", and there is no program.` };
  return { path: wanted };
}

/**
 * @param {NodeJS.ProcessEnv} env
 */
function onPath(env) {
  const windows = process.platform === "win32";
  const names = windows ? ["fsmc.exe"] : ["fsmc"];
  // The second place is where `go install` puts it, which an editor started from a menu may not know.
  const places = [...(env.PATH || env.Path || "").split(path.delimiter), env.GOBIN || "", path.join(env.GOPATH || path.join(os.homedir(), "go"), "bin")];
  for (const place of places) {
    if (!path.isAbsolute(place)) continue;
    for (const name of names) {
      const file = path.join(place, name);
      if (runs(file)) return file;
    }
  }
  return undefined;
}

/**
 * @param {string} file
 */
function runs(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

module.exports = { find, installPage };

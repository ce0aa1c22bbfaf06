// @ts-check
// Runs in the panel: shows the picture that it is sent, and says on which state a person clicks.
"use strict";

(() => {
  // @ts-ignore: VS Code defines it in a webview
  const editor = acquireVsCodeApi();
  const picture = /** @type {HTMLElement} */ (document.getElementById("picture"));
  const why = /** @type {HTMLElement} */ (document.getElementById("why"));
  const nonce = document.documentElement.dataset.nonce || "";

  /**
   * @param {string} svg
   * @param {string[]} states
   */
  function show(svg, states) {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const drawn = document.importNode(parsed, true);
    for (const style of drawn.querySelectorAll("style")) style.setAttribute("nonce", nonce);
    picture.replaceChildren(drawn);
    for (const id of states) {
      const state = document.getElementById(id);
      if (!state) continue;
      state.classList.add("fsmc-state");
      state.setAttribute("tabindex", "0");
      state.setAttribute("role", "link");
      state.addEventListener("click", (e) => {
        e.stopPropagation();
        editor.postMessage({ state: id });
      });
      state.addEventListener("keydown", (e) => {
        if (e.key === "Enter") editor.postMessage({ state: id });
      });
    }
  }

  window.addEventListener("message", ({ data }) => {
    if (typeof data.svg === "string") {
      show(data.svg, data.states);
      why.hidden = true;
      picture.classList.remove("old");
    }
    if (typeof data.why === "string") {
      why.textContent = data.why;
      why.hidden = false;
      picture.classList.add("old");
    }
    if (typeof data.lit === "string") {
      for (const lit of document.querySelectorAll(".fsmc-lit")) lit.classList.remove("fsmc-lit");
      const state = data.lit && document.getElementById(data.lit);
      if (state) {
        state.classList.add("fsmc-lit");
        state.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }
  });

  editor.postMessage({ ready: true });
})();

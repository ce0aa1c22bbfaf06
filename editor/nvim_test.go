package editor

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestVimWords: the colours of Vim know each word of the language's grammar.
func TestVimWords(t *testing.T) {
	syntax, err := os.ReadFile("nvim/syntax/fsm.vim")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for line := range strings.Lines(string(syntax)) {
		if words := strings.Fields(line); len(words) > 2 && words[0] == "syn" && words[1] == "keyword" {
			known = append(known, words[3:]...)
		}
	}
	for _, word := range grammarWords(t) {
		if !slices.Contains(known, word) {
			t.Errorf("nvim/syntax/fsm.vim knows nothing of the word %q", word)
		}
	}
}

// inNeovim is what a person does in Neovim with our settings, and what Neovim has then.
const inNeovim = `
local said = {}
local function wait(what, ready)
  if not vim.wait(120000, ready, 20) then
    error("waited for " .. what)
  end
end
local function rules()
  local found = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, d.code .. ":" .. (d.lnum + 1))
  end
  table.sort(found)
  return table.concat(found, " ")
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, a in pairs(answers or {}) do
    if a.err then error(method .. ": " .. a.err.message) end
    return a.result
  end
end

local looping = [[
machine M {
    event Go
    event Back
    initial A
    assert A at most 4
    state A {
        after 7d -> T
        on Go -> B
    }
    state B {
        after 1h -> T
        on Back -> A
    }
    terminal T
}]]

local function play()
  said.filetype = vim.bo.filetype
  wait("a finding", function() return rules() == "waits-forever:4" end)
  vim.api.nvim_win_set_cursor(0, { 4, 10 })
  local here = vim.lsp.util.make_position_params(0, "utf-16")
  said.hover = vim.inspect(ask("textDocument/hover", here).contents)
  said.definition = ask("textDocument/definition", vim.tbl_extend("force", here, { position = { line = 2, character = 12 } }))
  said.syntax = vim.fn.synIDattr(vim.fn.synID(4, 5, 1), "name")

  -- A syntax error, key by key, and its repair.
  vim.api.nvim_buf_set_text(0, 3, 13, 3, 13, { "o" })
  wait("a syntax error", function() return rules():find("syntax") ~= nil end)
  vim.api.nvim_buf_set_text(0, 3, 13, 3, 14, { "" })
  wait("its end", function() return rules() == "waits-forever:4" end)

  -- A timer, as the finding says.
  vim.api.nvim_buf_set_lines(0, 5, 5, true, { "        after 7d -> T 	" })
  wait("no finding", function() return rules() == "" end)

  -- Rename, formatting.
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", vim.tbl_extend("force", here, { newName = "Waiting" })), "utf-16")
  local edits = ask("textDocument/formatting", { textDocument = here.textDocument, options = { tabSize = 4, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
  said.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
  wait("no finding", function() return rules() == "" end)
  said.svg = ask("fsm/diagram", { textDocument = here.textDocument }).svg:sub(1, 4)

  -- A loop, its fix, and then the figures: above the machine, above an assert, of a state.
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(looping, "\n"))
  wait("a loop", function() return rules():find("unbounded%-loop") ~= nil end)
  local loop = vim.tbl_filter(function(d) return d.code == "unbounded-loop" end, vim.diagnostic.get(0))[1]
  local at = { start = { line = loop.lnum, character = loop.col }, ["end"] = { line = loop.end_lnum, character = loop.end_col } }
  local actions = ask("textDocument/codeAction", { textDocument = here.textDocument, range = at, context = { diagnostics = {} } })
  local fix = vim.tbl_filter(function(a) return a.title:find("max 3", 1, true) ~= nil end, actions)[1]
  vim.lsp.util.apply_workspace_edit(fix.edit, "utf-16")
  wait("no finding", function() return rules() == "" end)
  said.fixed = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
  local function lens(title)
    for _, l in ipairs(vim.lsp.codelens.get(0)) do
      if l.command.title:find(title, 1, true) then return l end
    end
  end
  wait("lenses", function()
    vim.api.nvim_exec_autocmds("CursorHold", {})
    return lens("proved") and lens("worst case") and true or false
  end)
  said.proved = lens("proved").range.start.line + 1
  said.worst = lens("worst case").command.title
  local state = vim.tbl_extend("force", here, { position = { line = 5, character = 11 } })
  said.visit = ask("textDocument/hover", state).contents.value
  said.run = ask("workspace/executeCommand", lens("worst case").command)
end
local sound, why = pcall(play)
if not sound then
  io.stderr:write(tostring(why) .. "\n")
  vim.cmd("cquit")
end
io.stdout:write(vim.fn.json_encode(said) .. "\n")
vim.cmd("qall!")
`

const typed = `machine M {
    event Go
    initial A
    state A {
        on Go -> T
    }
    terminal T
}
`

// TestNeovim opens a file in Neovim with the settings of this folder, edits it, and uses
// the server as a person does.
func TestNeovim(t *testing.T) {
	if _, err := exec.LookPath("nvim"); err != nil {
		t.Skip("NEOVIM WAS NOT TESTED: there is no nvim")
	}
	dir := t.TempDir()
	fsmc := filepath.Join(dir, "fsmc")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", fsmc, "../cmd/fsmc")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	settings, err := filepath.Abs("nvim")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.fsm": typed, "play.lua": inNeovim} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n",
		"--cmd", "set runtimepath^="+settings, "--cmd", "let g:fsmc_path='"+fsmc+"'", "--cmd", "filetype plugin on | syntax on",
		"a.fsm", "-c", "luafile play.lua")
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("nvim: %v\n%s%s", err, out, errs.String())
	}
	var said struct {
		Filetype, Hover, Syntax, Text, SVG string
		Definition                         any
		Fixed, Worst, Visit, Run           string
		Proved                             int
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(string(out))), &said); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs.String())
	}
	want := strings.ReplaceAll(strings.Replace(typed, "-> T\n", "-> T\n        after 7d -> T\n", 1), " A", " Waiting")
	if said.Text+"\n" != want {
		t.Errorf("the text is\n%s\nand not\n%s", said.Text, want)
	}
	if said.Filetype != "fsm" || said.Syntax != "fsmDeclaration" || said.SVG != "<svg" || !strings.Contains(said.Hover, "state A") || said.Definition == nil {
		t.Errorf("Neovim has %+v\n%s", said, errs.String())
	}
	if !strings.Contains(said.Fixed, "-> B max 3") && !strings.Contains(said.Fixed, "-> A max 3") {
		t.Errorf("the fix of a loop makes\n%s", said.Fixed)
	}
	if said.Proved != 5 || !strings.HasPrefix(said.Worst, "worst case: ") || !strings.Contains(said.Visit, "worst visit: 168h") || !strings.Contains(said.Run, "(Go)") {
		t.Errorf("the lenses are %q and proved in line %d, the hover is %q, the run %q", said.Worst, said.Proved, said.Visit, said.Run)
	}
}

-- What Neovim does in a text of the fsm language: comments, four spaces, and `fsmc lsp`.
vim.bo.commentstring = "// %s"
vim.bo.comments = "://"
vim.bo.expandtab = true
vim.bo.shiftwidth = 4
vim.bo.softtabstop = 4
vim.bo.cindent = false
vim.bo.autoindent = true
vim.bo.smartindent = true
require("fsmc").attach(vim.api.nvim_get_current_buf())
-- Lenses: what they say is known when the findings are, or later; an editor that the server can ask looks by itself.
vim.api.nvim_create_autocmd({ "CursorHold", "DiagnosticChanged", "InsertLeave" }, {
  buffer = 0,
  callback = function() vim.lsp.codelens.refresh() end,
})

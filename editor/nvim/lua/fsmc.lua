-- Starts `fsmc lsp`, once for a Neovim. Set vim.g.fsmc_path where fsmc is not on the PATH.
local M = {}
local client

function M.attach(buffer)
  local command = vim.g.fsmc_path or "fsmc"
  if vim.fn.executable(command) == 0 then
    vim.notify_once("fsmc: there is no program " .. command .. "; install fsmc, or set vim.g.fsmc_path", vim.log.levels.WARN)
    return
  end
  if client and not vim.lsp.get_client_by_id(client) then
    client = nil -- it has ended, or was stopped
  end
  client = client or vim.lsp.start_client({ name = "fsmc", cmd = { command, "lsp" }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(buffer, client)
end

-- Opens the picture of the machine at the cursor in the program that shows SVG.
function M.diagram()
  local params = vim.lsp.util.make_position_params(0, "utf-16")
  vim.lsp.buf_request(0, "fsm/diagram", params, function(failed, drawn)
    if failed then
      vim.notify("fsmc: " .. failed.message, vim.log.levels.ERROR)
      return
    end
    local file = vim.fn.tempname() .. ".svg"
    vim.fn.writefile(vim.split(drawn.svg, "\n"), file)
    local opener = vim.g.fsmc_opener or (vim.fn.has("mac") == 1 and "open" or "xdg-open")
    vim.fn.jobstart({ opener, file }, { detach = true })
  end)
end

-- Code lenses: what they say is the server's, what is done at one is the editor's.
if vim.lsp.commands then
  vim.lsp.commands["fsmc.diagram"] = function() M.diagram() end
  vim.lsp.commands["fsmc.simulate"] = function(command)
    local path = vim.uri_to_fname(command.arguments[1])
    vim.cmd("split | terminal " .. table.concat(vim.tbl_map(vim.fn.shellescape, {
      vim.g.fsmc_path or "fsmc", "simulate", "--machine", command.arguments[2], path,
    }), " "))
  end
end

return M

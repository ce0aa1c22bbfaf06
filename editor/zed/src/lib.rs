//! Tells Zed how to start the language server: `fsmc lsp`, of the `fsmc` on the PATH.

use zed_extension_api as zed;

struct Fsmc;

impl zed::Extension for Fsmc {
    fn new() -> Self {
        Fsmc
    }

    fn language_server_command(
        &mut self,
        _: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        Ok(zed::Command {
            command: worktree.which("fsmc").ok_or("there is no fsmc on the PATH")?,
            args: vec!["lsp".to_string()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Fsmc);

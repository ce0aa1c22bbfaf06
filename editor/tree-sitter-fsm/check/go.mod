module github.com/fsmc-dev/fsmc/editor/tree-sitter-fsm/check

go 1.26.0

require (
	github.com/BurntSushi/toml v1.5.0
	github.com/fsmc-dev/fsmc v0.0.0
	github.com/odvcencio/gotreesitter v0.16.0
)

require (
	github.com/alecthomas/participle/v2 v2.1.4 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

replace github.com/fsmc-dev/fsmc => ../../..

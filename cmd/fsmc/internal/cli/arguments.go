package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/lang/diag"
)

// arguments asks for those that are named, which stand in brackets where they
// may be left out; a last name that ends in "..." stands for any number.
func arguments(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			missing := strings.TrimSuffix(names[len(args)], "...")
			return fmt.Errorf("%s is missing: write %s", missing, c.UseLine())
		}
		open := len(names) > 0 && strings.HasSuffix(strings.TrimSuffix(names[len(names)-1], "]"), "...")
		if len(args) > len(names) && !open {
			return oneTooMany(c, args[len(names)])
		}
		for i, arg := range args {
			if arg == "" {
				return fmt.Errorf("%s is empty: write %s", strings.Trim(names[min(i, len(names)-1)], ".[]"), c.UseLine())
			}
		}
		return nil
	}
}

// otherNames are what commands are called elsewhere.
var otherNames = map[string]string{
	"init": "new", "create": "new", "validate": "check", "lint": "check", "verify": "check", "prove": "check",
	"format": "fmt", "draw": "dot", "graph": "dot", "diagram": "dot", "render": "dot", "visualize": "dot",
	"generate": "gen", "build": "gen", "compile": "gen", "step": "simulate", "docs": "explain", "man": "explain",
	"start": "run", "exec": "run", "execute": "run", "work": "run", "worker": "run",
	"signal": "send", "trigger": "send", "emit": "send", "event": "send",
	"stop": "cancel", "kill": "cancel", "abort": "cancel", "terminate": "cancel", "upgrade": "migrate",
	"ls": "list", "ps": "list", "runs": "list", "status": "show", "get": "show", "describe": "show", "inspect": "show",
	"logs": "watch", "tail": "watch", "follow": "watch", "metrics": "stats", "ui": "serve", "web": "serve", "dashboard": "serve",
	"delete": "prune", "rm": "prune", "dump": "backup",
}

// knownCommand refuses a first word that is no command below c.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, below := range c.Commands() {
		names = append(names, below.Name())
	}
	above := strings.TrimPrefix(c.CommandPath(), c.Root().Name())
	within := func(name string) string { return strings.TrimSpace(above + " " + name) }
	near, ok := otherNames[args[0]]
	if !ok || c.HasParent() {
		near, ok = diag.Nearest(args[0], names)
	}
	if ok {
		return fmt.Errorf("there is no command %q; did you mean %q?", within(args[0]), within(near))
	}
	return fmt.Errorf("there is no command %q; fsmc help%s lists them", within(args[0]), above)
}

// strict makes the commands that cobra adds refuse words that they do not know, as
// all others do.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = knownTopic
		case "completion":
			c.Args = knownCommand
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			for _, shell := range c.Commands() {
				shell.Args = arguments()
			}
		}
	}
}

// knownTopic refuses words that lead to no command.
func knownTopic(c *cobra.Command, args []string) error {
	found, rest, err := c.Root().Find(args)
	switch {
	case err != nil || len(rest) == 0:
		return err
	case len(args) == 1 && args[0] == c.Root().Name(): // as "fsmc help fsmc" in flagError
		return nil
	case found.HasSubCommands():
		return knownCommand(found, rest)
	}
	return oneTooMany(c, rest[0])
}

// oneTooMany is the error of an argument that c does not take.
func oneTooMany(c *cobra.Command, arg string) error {
	if isAddress(arg) {
		return fmt.Errorf("an argument that looks like an address is one too many: write %s", c.UseLine())
	}
	return fmt.Errorf("argument %.60q is one too many: write %s", arg, c.UseLine())
}

// flagInHelp finds the names of flags in a help text.
var flagInHelp = regexp.MustCompile(`--([a-z][a-z-]*)`)

// What cobra says of flags, where it is not in our words.
var (
	unknownShort = regexp.MustCompile(`^unknown shorthand flag: '(.)' in `)
	wrongValue   = regexp.MustCompile(`(?s)^invalid argument (".*") for "(?:-., )?(--[a-z-]+)" flag: (strconv\.Parse(?:Int|Bool)|time): `)
	wrongNote    = regexp.MustCompile(`(?s)^invalid argument ".*" for "(--(?:actor|reason))" flag: (it .*)$`)
	excluding    = regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)
	required     = regexp.MustCompile(`^required flag\(s\) "([a-z-]+)" not set$`)
	together     = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set they must all be set`)
)

// wanted is what a flag takes whose value the named function could not read.
var wanted = map[string]string{
	"strconv.ParseInt":  "a whole number",
	"strconv.ParseBool": "true or false",
	"time":              "a duration such as 30s or 1m30s",
}

// flagError puts what cobra says of a flag that does not exist, or of a value
// that it cannot have, into our words. Behind a misspelt command no flag is known:
// then the command is what is wrong.
func flagError(c *cobra.Command, err error) error {
	if c.HasSubCommands() && c.Flags().NArg() > 0 {
		return knownCommand(c, c.Flags().Args())
	}
	if m := unknownShort.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("there is no flag -%s; fsmc help %s lists them", m[1], c.Name())
	}
	if m := wrongValue.FindStringSubmatch(err.Error()); m != nil {
		what := wanted[m[3]]
		if strings.HasSuffix(err.Error(), "value out of range") {
			what += " of 64 bits"
		}
		return fmt.Errorf("%s takes %s, and not %s", m[2], what, m[1])
	}
	if m := wrongNote.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s cannot be kept: %s", m[1], m[2])
	}
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return err
	}
	var names []string
	for _, found := range flagInHelp.FindAllStringSubmatch(c.LocalFlags().FlagUsages(), -1) {
		names = append(names, found[1])
	}
	if near, ok := diag.Nearest(name, names); ok {
		return fmt.Errorf("there is no flag --%s; did you mean --%s?", name, near)
	}
	return fmt.Errorf("there is no flag --%s; fsmc help %s lists them", name, c.Name())
}

// groupError puts what cobra says of flags that exclude each other, or belong together, into our words.
func groupError(c *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	if m := excluding.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("--%s exclude each other", strings.Join(strings.Fields(m[1]), " and --"))
	}
	if m := required.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("--%s is missing: it is one of %s", m[1], strings.ReplaceAll(c.Flag(m[1]).Value.Type(), "|", ", "))
	}
	if m := together.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("--%s belong together", strings.Join(strings.Fields(m[1]), " and --"))
	}
	return err
}

// completeFSM lets a shell complete the names of source files.
func completeFSM(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"fsm"}, cobra.ShellCompDirectiveFilterFileExt
}

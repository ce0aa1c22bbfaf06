package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

func newExplain(s *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain [RULE | WORD | language | glossary | grammar]",
		Short: "Print the page of a rule, what a word means, or the language reference",
		Long: `Explain prints the page of a rule, or what a word of the language or the glossary means:
its entry in the glossary, its place in the grammar, and what the reference says about it.
With language, glossary or grammar, it prints that whole text. Without an argument, it
lists the rules. All texts are part of the binary.`,
		Example: `  fsmc explain
  fsmc explain dead-end
  fsmc explain defer
  fsmc explain activity execution
  fsmc explain language`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(ruleNames(), words()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return s.listRules(asJSON)
			}
			what := strings.Join(args, " ")
			rules := explained()
			if i := slices.IndexFunc(rules, func(r jsonRule) bool { return r.Name == what }); i >= 0 {
				return s.printPage(rules[i], rules[i].Page, asJSON)
			}
			page := cmp.Or(documents[what], wordPage(what))
			if page == "" {
				return unknownWord(what)
			}
			return s.printPage(jsonWord{what, page}, page, asJSON)
		},
	}
	formatFlag(c, &asJSON)
	return c
}

// jsonRule is a rule as explain --format json prints it; a list has no pages.
type jsonRule struct {
	Name     string `json:"name"`
	Group    string `json:"group"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Page     string `json:"page,omitempty"` // Markdown
}

func (s *streams) listRules(asJSON bool) error {
	rules := explained()
	if asJSON {
		for i := range rules {
			rules[i].Page = ""
		}
		return printJSON(s.out, rules)
	}
	var groups []string
	for _, g := range check.Groups {
		groups = append(groups, string(g))
	}
	for _, f := range breaking.Families {
		groups = append(groups, groupOf(f.Family))
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, group := range groups {
		fmt.Fprintf(w, "%s:\n", group)
		for _, r := range rules {
			if r.Group == group {
				fmt.Fprintf(w, "  %s\t%s\t%s\n", r.Name, r.Severity, r.Summary)
			}
		}
	}
	return w.Flush()
}

// explained are the rules of fsmc check, and those of fsmc breaking by family.
func explained() []jsonRule {
	var out []jsonRule
	for _, r := range all.Rules {
		out = append(out, jsonRule{r.Name, string(r.Group), r.Severity.String(), r.Summary, r.Page()})
	}
	for _, f := range breaking.Families {
		for _, r := range breaking.Rules {
			if r.Family == f.Family {
				out = append(out, jsonRule{r.Name, groupOf(f.Family), r.Severity().String(), r.Summary, r.Page()})
			}
		}
	}
	return out
}

// groupOf is the group of the rules of fsmc breaking in a family.
func groupOf(f breaking.Family) string { return "Changes: " + string(f) }

// printPage prints a page, or as JSON all that is known of it.
func (s *streams) printPage(of any, page string, asJSON bool) error {
	if asJSON {
		return printJSON(s.out, of)
	}
	_, err := fmt.Fprintln(s.out, strings.TrimRight(page, "\n"))
	return err
}

func findRule(name string) (*check.Rule, error) {
	for _, r := range all.Rules {
		if r.Name == name {
			return r, nil
		}
	}
	if near, ok := diag.Nearest(name, ruleNames()); ok {
		return nil, fmt.Errorf("there is no rule %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("there is no rule %q; fsmc explain without a name lists them", name)
}

func ruleNames() []string {
	var names []string
	for _, r := range all.Rules {
		names = append(names, r.Name)
	}
	for _, r := range breaking.Rules {
		names = append(names, r.Name)
	}
	return names
}

package cli

import (
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
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(ruleNames(), words()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return s.listRules(asJSON)
			}
			what := strings.Join(args, " ")
			if rule := ruleOfChanges(what); rule != nil {
				return s.explain(*rule, asJSON)
			}
			rule, err := findRule(what)
			if err != nil {
				return s.explainWord(what, asJSON)
			}
			return s.explain(jsonRule{rule.Name, string(rule.Group), rule.Severity.String(), rule.Summary, rule.Page()}, asJSON)
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
	if asJSON {
		rules := []jsonRule{}
		for _, r := range all.Rules {
			rules = append(rules, jsonRule{Name: r.Name, Group: string(r.Group), Severity: r.Severity.String(), Summary: r.Summary})
		}
		for _, r := range rulesOfChanges() {
			r.Page = ""
			rules = append(rules, r)
		}
		return printJSON(s.out, rules)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, g := range check.Groups {
		fmt.Fprintf(w, "%s:\n", g)
		for _, r := range all.Rules {
			if r.Group == g {
				fmt.Fprintf(w, "  %s\t%s\t%s\n", r.Name, r.Severity, r.Summary)
			}
		}
	}
	group := ""
	for _, r := range rulesOfChanges() {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(w, "%s:\n", group)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", r.Name, r.Severity, r.Summary)
	}
	return w.Flush()
}

// rulesOfChanges are those of fsmc breaking.
func rulesOfChanges() []jsonRule {
	var out []jsonRule
	for _, f := range breaking.Families {
		for _, r := range breaking.Rules {
			if r.Family == f.Family {
				out = append(out, jsonRule{r.Name, "Changes: " + string(f.Family), r.Severity().String(), r.Summary, r.Page()})
			}
		}
	}
	return out
}

// ruleOfChanges is the one of fsmc breaking with that name, or nil.
func ruleOfChanges(name string) *jsonRule {
	rules := rulesOfChanges()
	if i := slices.IndexFunc(rules, func(r jsonRule) bool { return r.Name == name }); i >= 0 {
		return &rules[i]
	}
	return nil
}

func (s *streams) explain(r jsonRule, asJSON bool) error {
	if asJSON {
		return printJSON(s.out, r)
	}
	_, err := fmt.Fprintln(s.out, strings.TrimRight(r.Page, "\n"))
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

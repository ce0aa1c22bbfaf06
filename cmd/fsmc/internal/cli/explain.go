package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

func newExplain(s *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Print the page of a rule, or list all rules",
		Example: `  fsmc explain
  fsmc explain dead-end`,
		Args: arguments("[RULE]"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return s.listRules(asJSON)
			}
			rule, err := findRule(args[0])
			if err != nil {
				return err
			}
			return s.explain(rule, asJSON)
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
	return w.Flush()
}

func (s *streams) explain(r *check.Rule, asJSON bool) error {
	if asJSON {
		return printJSON(s.out, jsonRule{r.Name, string(r.Group), r.Severity.String(), r.Summary, r.Page})
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
	return names
}

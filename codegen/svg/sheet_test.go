package svg

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every text has a contrast of 4.5 or more to all on which it may stand, and every line one of
// 3, in both palettes (WCAG 2.2, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	grounds := []string{"ground", "frame", "frame-even"}
	boxes := append(grounds, "box", "choice", "any", "success", "failure", "cancelled", "taken-box", "current-box")
	for _, c := range []struct {
		least float64
		names string
		on    []string
	}{
		{4.5, "ink quiet faint timer-text failed-text retry-text", boxes},
		{3, "normal else timer failed retry taken current", grounds},
		{3, "edge choice-edge any-edge success-edge failure-edge cancelled-edge", grounds},
		{4.5, "taken", []string{"box", "taken-box", "choice"}}, // a row that was taken
	} {
		for _, name := range strings.Fields(c.names) {
			for _, ground := range c.on {
				for palette, got := range contrast(t, name, ground) {
					if got < c.least {
						t.Errorf("palette %d: %s on %s has %.2f, wanted %.1f", palette, name, ground, got, c.least)
					}
				}
			}
		}
	}
}

// contrast is that of two colours on a light and on a dark ground.
func contrast(t *testing.T, a, b string) [2]float64 {
	x, y := shades(t, a), shades(t, b)
	var out [2]float64
	for i := range out {
		light, dark := luminance(t, x[i]), luminance(t, y[i])
		out[i] = (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
	}
	return out
}

func shades(t *testing.T, name string) [2]string {
	t.Helper()
	for _, c := range colours {
		if c.name == name {
			return [2]string{c.light, c.dark}
		}
	}
	t.Fatalf("no colour %s", name)
	return [2]string{}
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		part := float64(n) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

func TestSheets(t *testing.T) {
	unused := map[string]bool{}
	for _, c := range colours {
		unused[c.name] = true
	}
	for _, m := range regexp.MustCompile(`\$([a-z-]+)`).FindAllStringSubmatch(rules, -1) {
		shades(t, m[1])
		delete(unused, m[1])
	}
	for name := range unused {
		t.Errorf("no rule has the colour %s", name)
	}
	light, dark, auto := Sheet("light"), Sheet("dark"), Sheet("auto")
	if strings.Contains(light+dark, "var(") || strings.Contains(light+dark+auto, "$") || light == dark {
		t.Error("the sheets of a theme have plain colours, each its own")
	}
	if Sheet("") != auto || !strings.Contains(auto, "fill:#ffffff;fill:var(--ground)") || !strings.Contains(auto, "prefers-color-scheme:dark") {
		t.Error("the reader does not choose")
	}
	if n := len(auto); n > 7000 {
		t.Errorf("the sheet has %d bytes, and stands in each picture", n)
	}
}

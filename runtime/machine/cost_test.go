package machine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCostsAreExact(t *testing.T) {
	got, left := CountedCosts(map[string]json.Number{
		"usd": "0.10", "tokens": "12e2", "b": "1e-3", "zero": "0.000",
		"negative": "-1", "huge": "1e999999999", "long": json.Number(strings.Repeat("9", 41)), "bad name": "1", "nan": "NaN", "": "1",
	}, nil)
	if fmt.Sprint(got) != "[{b 0.001} {tokens 1200} {usd 0.1} {zero 0}]" {
		t.Error(got)
	}
	if want := "[{ 1} {bad name 1} {huge 1e999999999} {long " + strings.Repeat("9", 40) + "…} {nan NaN} {negative -1}]"; fmt.Sprint(left) != want {
		t.Errorf("left are %v\nwant %s", left, want)
	}
	var spent []Cost
	for i := range MaxCosts {
		spent = append(spent, Cost{fmt.Sprintf("c%d", i), "1"})
	}
	spent[0].Amount = strings.Repeat("9", maxCostDigits)
	got, left = CountedCosts(map[string]json.Number{"c0": "1", "c1": "1", "more": "1"}, spent)
	if fmt.Sprint(got) != "[{c1 1}]" || fmt.Sprint(left) != "[{c0 1} {more 1}]" {
		t.Errorf("of a run with its fill of costs %v, and not %v", got, left)
	}
	sum := "0"
	for range 10 {
		sum = AddAmounts(sum, "0.1")
	}
	if sum != "1" {
		t.Errorf("ten times 0.1 is %s", sum)
	}
	if compareAmounts("1.00", "1") != 0 || compareAmounts("0.3", "0.30000000000000000001") >= 0 || compareAmounts("10", "9.99") <= 0 {
		t.Error("amounts are compared wrongly")
	}
}

package postgres

import "testing"

// TestUnfit: each setting by which a server loses what it has acknowledged is found.
func TestUnfit(t *testing.T) {
	fit := server{version: 15_00_18, encoding: "UTF8", fsync: "on", pages: "on", commit: "on"}
	if why := fit.unfit(&options{}); why != "" {
		t.Fatalf("a server that will do: %s", why)
	}
	for name, spoil := range map[string]func(*server){
		"version": func(v *server) { v.version = 13_00_09 },
		"SQL":     func(v *server) { v.encoding = "SQL_ASCII" },
		"standby": func(v *server) { v.standby = true },
		"fsync":   func(v *server) { v.fsync = "off" },
		"pages":   func(v *server) { v.pages = "off" },
		"commit":  func(v *server) { v.commit = "off" },
	} {
		v := fit
		if spoil(&v); v.unfit(&options{}) == "" {
			t.Errorf("%s: it would do", name)
		}
	}
	asleep := fit
	asleep.commit, asleep.standby = "off", false
	if why := asleep.unfit(&options{relaxed: true}); why != "" {
		t.Errorf("relaxed: %s", why)
	}
	asleep.standby = true
	if why := asleep.unfit(&options{readOnly: true}); why != "" {
		t.Errorf("only to look: %s", why)
	}
}

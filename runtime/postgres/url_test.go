package postgres_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
)

// hostile are URLs with a password, part of which may be taken for something else. Its parts are
// wo, lfsrudel and Geheimnis.
var hostile = []string{
	"postgres://u:wo/lfsrudel@127.0.0.1:1/d",
	"postgres://u:wo?lfsrudel@127.0.0.1:1/d",
	"postgres://u:wo#lfsrudel@127.0.0.1:1/d",
	"postgres://u:wo@lfsrudel@127.0.0.1:1/d",
	"postgres://u:wo%zzlfsrudel@127.0.0.1:1/d",
	"postgres://u:wo lfsrudel@127.0.0.1:1/d",
	"postgres://u:wo\nlfsrudel@127.0.0.1:1/d",
	"postgres://u:12/lfsrudel@127.0.0.1:1/d",
	"postgres://u:12?lfsrudel@127.0.0.1:1/d",
	"postgres://u:12?lfsrudel:Geheimnis@127.0.0.1:1/d?sslmode=disable",
	"postgres://u:12#lfsrudel@127.0.0.1:1/d",
	"postgres://u:lfsrudel@127.0.0.1:x/d",
	"postgres://u:lfsrudel@[::1/d",
	"postgres://u:lfsrudel@127.0.0.1:1/d?sslmode=lfsrudel",
	"postgres://u:lfsrudel@127.0.0.1:1/d?pool_max_conns=lfsrudel",
	"postgres://u:lfsrudel@127.0.0.1:1/d?sslrootcert=lfsrudel",
	"postgres://u:lfsrudel@127.0.0.1:1/d?connect_timeout=lfsrudel",
	"postgres://u:lfsrudel@127.0.0.1:99999999/d",
	"postgres://u@127.0.0.1:1/d?password=lfsrudel",
	"postgres://u@127.0.0.1:1/d?password=lfsrudel&sslmode=lfsrudel",
	"postgres://u@127.0.0.1:1/d?password=lfs%rudel",
	"postgres://u@127.0.0.1:1/d?sslpassword=lfsrudel&sslmode=verify-full&sslrootcert=/nowhere",
	"postgres://u@127.0.0.1:1/d?passfile=/nowhere/lfsrudel",
	"postgresql://u:lfsrudel@127.0.0.1:1,127.0.0.1:2/d?target_session_attrs=lfsrudel",
	"postgres://u:lfsrudel@127.0.0.1:1/d?fsmc_skema=1",
	"postgres://u:lfsrudel@127.0.0.1:1/d",
	"postgres://u:lfsrudel@127.0.0.1:1/d?host=/nowhere",
	"postgres://u:%6Cfsrudel@127.0.0.1:1/d?sslmode=%6Cfsrudel",
}

// TestNoPassword: no error has a part of the password, whatever stands in it.
func TestNoPassword(t *testing.T) {
	for _, at := range hostile {
		_, err := postgres.Open(t.Context(), at)
		if err == nil {
			t.Errorf("%q was opened", at)
			continue
		}
		for _, part := range []string{"lfsrudel", "%6Cfsrudel", "Geheimnis", "wo/", "wo?", "wo@", ":wo", ":12"} {
			if strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v", at, err)
			}
		}
	}
}

// FuzzNoPassword is TestNoPassword for any password, in its place and raw.
func FuzzNoPassword(f *testing.F) {
	for _, at := range hostile {
		if i, j := strings.Index(at, "u:"), strings.LastIndex(at, "@"); i > 0 && j > i {
			f.Add(at[i+2 : j])
		}
	}
	f.Fuzz(func(t *testing.T, password string) {
		const marker = "lfsrudel"
		for _, at := range []string{
			"postgres://u:" + password + marker + "@/d?host=/nowhere",
			"postgres://u:" + marker + password + "@127.0.0.1:1/d?sslmode=wrong",
			"postgres://u:" + url.QueryEscape(password+marker) + "@127.0.0.1:1/d?sslmode=wrong",
		} {
			if _, err := postgres.Open(t.Context(), at); err == nil || strings.Contains(err.Error(), marker) {
				t.Errorf("%q: %v", at, err)
			}
		}
	})
}

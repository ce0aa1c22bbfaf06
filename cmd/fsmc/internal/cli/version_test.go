package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuildOf(t *testing.T) {
	const revision, time = "0123456789abcdef0123456789abcdef01234567", "2026-11-24T02:13:00Z"
	clone := []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: time}}
	for _, c := range []struct {
		what string
		told built
		info *debug.BuildInfo
		want built
	}{
		{"a release", built{"v0.1.0", revision, time}, nil, built{"v0.1.0", "0123456789ab", time}},
		{"go install with a version", built{}, &debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}}, built{"v0.1.0", "", ""}},
		{"a clone", built{}, &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: clone}, built{"0123456789ab", "0123456789ab", time}},
		{"nothing is known", built{}, nil, built{"unreleased", "", ""}},
	} {
		if got := buildOf(c.told, c.info); got != c.want {
			t.Errorf("%s: %+v, and not %+v", c.what, got, c.want)
		}
	}
}

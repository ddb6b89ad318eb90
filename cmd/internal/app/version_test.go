package app

import (
	"regexp"
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	for _, c := range []struct{ known, want string }{
		{"v1.2.3", "v1.2.3"}, // go install example.org/deref/cmd/deref@v1.2.3, or a build at this tag
		{"v0.0.0-20261122170000-0123456789ab+dirty", "v0.0.0-20261122170000-0123456789ab+dirty"}, // a build in a repository
		{"(devel)", "v0.1.0-dev"}, // go run
		{"", "v0.1.0-dev"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.known}}
		if got := versionOf(info, "v0.1.0-dev\n"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.known, got, c.want)
		}
	}
	if !regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9a-z.]+)?(\+[0-9a-z.]+)?\n$`).MatchString(stated) {
		t.Errorf("version.txt is %q, want one line with a version", stated)
	}
}

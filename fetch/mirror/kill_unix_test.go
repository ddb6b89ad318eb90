//go:build unix

package mirror_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch/mirror"
)

// TestPromise2Killed: a mirror that is killed at ten moments and continued is the same, file by file, as an undisturbed one, and its
// manifest is correct.
func TestPromise2Killed(t *testing.T) {
	long(t, "kills many processes")
	const most = 10
	for name, root := range servers(t, enlarged(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, dir := t.TempDir(), t.TempDir()
			all, _ := mirrorApart(t, root, whole, 0)
			if all == 0 {
				t.Fatal("nothing is visited")
			}
			kills := 0
			for tries := 0; kills < most && tries < 3*most; tries++ {
				_, killed := mirrorApart(t, root, dir, 1+rand.N(2*all/most))
				if _, err := os.Stat(filepath.Join(dir, ".deref", "pass", "last.json")); !killed || err == nil {
					os.RemoveAll(dir) // it is complete, although perhaps killed at its end: start again
					continue
				}
				kills++
				if !mirror.Interrupted(dir) {
					t.Errorf("kill %d left nothing to continue", kills)
				}
			}
			mirrorApart(t, root, dir, 0)
			want, got := tree(t, whole), tree(t, dir)
			for name, data := range want {
				if have, ok := got[name]; !ok || have != data {
					t.Errorf("%s: got %v, %d bytes; want %d", name, ok, len(have), len(data))
				}
			}
			for name := range got {
				if _, ok := want[name]; !ok {
					t.Errorf("unexpected file %s", name)
				}
			}
			if kills < most {
				t.Errorf("got %d kills, want %d", kills, most)
			}
			checkManifest(t, dir, got)
		})
	}
}

// mirrorApart mirrors in another process and returns how many URIs it visited, or none if it was killed. A process that continues after
// the last URI visits none, either.
func mirrorApart(t *testing.T, root, dir string, after int) (count int, killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MIRROR_TEST_ROOT="+root, "MIRROR_TEST_DIR="+dir, "MIRROR_TEST_KILL="+strconv.Itoa(after),
		"GORACE=atexit_sleep_ms=20")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case err != nil && cmd.ProcessState.ExitCode() == -1:
		return 0, true
	case err != nil:
		t.Fatalf("%v: %s", err, stderr.String())
	}
	count, err = strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return count, false
}

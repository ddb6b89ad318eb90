package lab

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// clientTime is longer than any client of the tests runs.
const clientTime = time.Minute

// Client returns the command of an independent program, such as curl, with an environment and a home directory of its own: no proxies and no
// configuration of the user. If the program is not installed the test is skipped.
func Client(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	home := TempDir(t)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LC_ALL=C.UTF-8", "TERM=dumb", "TZ=UTC",
		"XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CACHE_HOME=" + home} // bombadillo 2.4.0 ignores HOME (observed)
	cmd.WaitDelay = time.Second
	return cmd
}

// TempDir is t.TempDir for files of clients. It can also remove directories that they make read-only.
func TempDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(name, 0o700)
			}
			return nil
		})
	})
	return dir
}

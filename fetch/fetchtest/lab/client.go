package lab

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// clientTime is more than any client of the tests takes.
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
	home := t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LC_ALL=C.UTF-8", "TERM=dumb", "TZ=UTC"}
	cmd.WaitDelay = time.Second
	return cmd
}

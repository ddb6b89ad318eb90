//go:build unix

package batch_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStateOutlivesSIGKILL: whenever a batch is killed, the next run does the rest, and repeats at most the items that were running at
// that moment.
func TestStateOutlivesSIGKILL(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	kills := 0
	for ; ; kills++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BATCH_TEST_STATE="+path)
		done, err := cmd.StdoutPipe() // a line for each item
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(done)
		for n := 100 + rand.N(200); n > 0 && lines.Scan(); n-- {
		}
		cmd.Process.Kill()
		if cmd.Wait() == nil {
			break
		}
	}
	b, err := os.ReadFile(path + ".log")
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	lines := strings.Fields(string(b))
	for _, l := range lines {
		times[l]++
	}
	if len(times) != victimItems || kills < 2 {
		t.Errorf("got %d items, want %d, with %d kills", len(times), victimItems, kills)
	}
	if again := len(lines) - len(times); again > 8*kills {
		t.Errorf("%d items were done twice, with %d kills of 8 running items", again, kills)
	}
}

package fetchtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A label marks goroutines: those that a labelled one starts inherit it, so what an attempt leaves behind is told from what runs beside it.
type label string

const labelKey = "fetchtest"

func newLabel() label { return label(rand.Text()) }

// watchdog is how long an attempt may take in all.
const watchdog = 10 * time.Second

// watched runs f under the label and gives up when it hangs.
func watched(l label, f func()) error {
	done := make(chan struct{})
	go pprof.Do(context.Background(), pprof.Labels(labelKey, string(l)), func(context.Context) {
		defer close(done)
		f()
	})
	select {
	case <-done:
		return nil
	case <-time.After(watchdog):
		return fmt.Errorf("it hangs:\n%s", stacks(l))
	}
}

// stacks describes the goroutines of a label, "" when there are none.
func stacks(l label) string {
	var b bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&b, 1)
	var mine []string
	for _, block := range strings.Split(b.String(), "\n\n") {
		if strings.Contains(block, strconv.Quote(string(l))) {
			mine = append(mine, block)
		}
	}
	return strings.Join(mine, "\n\n")
}

// goroutinesLeft waits a little for the goroutines of a label to end.
func goroutinesLeft(l label) error {
	for wait := 100 * time.Microsecond; ; wait *= 2 {
		left := stacks(l)
		if left == "" {
			return nil
		}
		if wait > time.Second {
			return fmt.Errorf("goroutines are left:\n%s", left)
		}
		time.Sleep(wait)
	}
}

// descriptors lists the open files of the process, where the system tells.
func descriptors() map[string]string {
	const dir = "/proc/self/fd"
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	open := map[string]string{}
	for _, e := range list {
		if to, err := os.Readlink(dir + "/" + e.Name()); err == nil && !strings.HasPrefix(to, "/proc/") {
			open[e.Name()] = to
		}
	}
	return open
}

func descriptorsLeft(before map[string]string) error {
	if before == nil {
		return nil
	}
	for wait := time.Millisecond; ; wait *= 2 {
		now := descriptors()
		maps.DeleteFunc(now, func(fd, to string) bool { return before[fd] == to || strings.HasPrefix(to, "anon_inode:") })
		if len(now) == 0 {
			return nil
		}
		if wait > 500*time.Millisecond {
			return fmt.Errorf("descriptors are left: %s", strings.Join(slices.Sorted(maps.Values(now)), ", "))
		}
		time.Sleep(wait)
	}
}

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

	"example.org/deref/fetch/fetchtest/loopback"
)

// A label marks goroutines. Goroutines inherit it, so those that an attempt leaves running can be distinguished from others.
type label string

const labelKey = "fetchtest"

func newLabel() label { return label(rand.Text()) }

// watchdog is how long an attempt may take in total.
const watchdog = 10 * time.Second

// watched runs f with the label. It returns an error if f takes longer than limit.
func watched(l label, limit time.Duration, f func()) error {
	done := make(chan struct{})
	go pprof.Do(context.Background(), pprof.Labels(labelKey, string(l)), func(context.Context) {
		defer close(done)
		f()
	})
	select {
	case <-done:
		return nil
	case <-time.After(limit):
		return fmt.Errorf("no result after %s:\n%s", limit, stacks(l))
	}
}

// stacks returns the stacks of the goroutines with a label. It returns "" if there are none.
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
	left := ""
	if !loopback.Poll(watchdog, func() bool { left = stacks(l); return left == "" }) {
		return fmt.Errorf("goroutines are left; end them in Body.Close:\n%s", left)
	}
	return nil
}

// descriptors returns the open files of the process. It returns nil if the system does not list them.
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
	var now map[string]string
	if !loopback.Poll(watchdog, func() bool {
		now = descriptors()
		maps.DeleteFunc(now, func(fd, to string) bool { return before[fd] == to || strings.HasPrefix(to, "anon_inode:") })
		return len(now) == 0
	}) {
		return fmt.Errorf("descriptors are left; close them in Body.Close: %s", strings.Join(slices.Sorted(maps.Values(now)), ", "))
	}
	return nil
}

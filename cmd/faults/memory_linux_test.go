//go:build amd64

package faults

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write "+ceilings+" again")

const ceilings = "testdata/memory.txt"

// TestPromise6Ceilings compares what each scenario allocates with a table. A change that needs more raises the number in the same commit; with
// -update, each number becomes what is needed now, and a quarter more.
func TestPromise6Ceilings(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each scenario three times")
	}
	table, err := os.ReadFile(ceilings)
	if err != nil {
		t.Fatal(err)
	}
	most := map[string][2]uint64{}
	for line := range strings.Lines(string(table)) {
		var name string
		var limit [2]uint64
		if _, err := fmt.Sscanf(line, "%d %d %s", &limit[0], &limit[1], &name); err == nil {
			most[strings.TrimSpace(line[strings.Index(line, name):])] = limit
		}
	}
	names, p := serve(t), start(t)
	var new strings.Builder
	fmt.Fprintf(&new, "# The most objects and KiB that each scenario may allocate: go test ./cmd/faults -run Ceilings -update\n")
	for _, s := range scenarios() {
		if s.waits {
			continue
		}
		dir := t.TempDir()
		x := &trial{scenario: s, process: p, names: names}
		least := x.learn(t, dir)
		for range 2 {
			x.old.at(t, dir)
			if r, _ := x.do(t, x.order(dir, x.line), fault{}); r.Objects < least.Objects {
				least = r
			}
		}
		limit, kib := most[s.name], least.Bytes>>10
		if !*update && (least.Objects > limit[0] || kib > limit[1]) {
			t.Errorf("%s: got %d objects and %d KiB, want at most %d and %d", s.name, least.Objects, kib, limit[0], limit[1])
		}
		fmt.Fprintf(&new, "%6d %6d %s\n", least.Objects*5/4, kib*5/4+16, s.name)
	}
	if *update {
		if err := os.WriteFile(ceilings, []byte(new.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

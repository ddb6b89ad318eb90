//go:build amd64

package faults

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A trial is one scenario with its addresses, and what it does without faults.
type trial struct {
	scenario
	*process
	names *strings.Replacer
	old   tree // before the command line
	new   tree // after it
	calls []call

	answer string        // to the visit
	derefd func() string // builds derefd and returns its name
}

// A tree holds the contents of the files in a directory, and "" for directories, whose names end in "/".
type tree map[string]string

func treeOf(t *testing.T, dir string) tree {
	files := tree{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		switch {
		case err != nil || rel == ".":
			return err
		case d.IsDir():
			files[filepath.ToSlash(rel)+"/"] = ""
			return nil
		}
		if d.Type() == fs.ModeSymlink {
			to, err := os.Readlink(name)
			files[filepath.ToSlash(rel)] = "-> " + to
			return err
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// at makes dir hold exactly the files of the tree.
func (f tree) at(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(to, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = os.WriteFile(to, []byte(f[name]), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (x *trial) order(dir, line string) order {
	line = strings.ReplaceAll(line, "SUM", fmt.Sprintf("%x", sha256.Sum256([]byte(small))))
	o := order{Dir: dir, Args: strings.Fields(x.names.Replace(line)), Env: map[string]string{"HOME": dir}, Stdin: x.stdin}
	if o.Args[0] == "derefd" {
		o.Program, o.Args = x.derefd(), o.Args[1:]
	}
	if line == x.line {
		o.Keys = x.keys
	}
	if line == x.line && x.visit != "" {
		o.Visit = strings.ReplaceAll(x.visit, "DIR", dir)
	}
	return o
}

// learn does the work without a fault, and without anything left over.
func (x *trial) learn(t *testing.T, dir string) report {
	t.Helper()
	have := tree{}
	for name, text := range x.have {
		have[name] = x.names.Replace(text)
	}
	have.at(t, dir)
	for _, line := range x.prepare {
		x.do(t, x.order(dir, line), fault{})
	}
	x.old = treeOf(t, dir)
	r, calls := x.do(t, x.order(dir, x.line), fault{})
	if r.Status != x.status || r.Left != "" || x.visit != "" && r.answer == "" {
		t.Fatalf("without a fault: got status %d, want %d\n%s%s%s", r.Status, x.status, r.Stdout, r.Stderr, r.Left)
	}
	x.new, x.calls, x.answer = treeOf(t, dir), calls, r.answer
	return r
}

// TestEachCallFails does the work of every scenario as often as it has calls. Each time another call fails: it alone, and then it and all that
// follow, if the disk or the network could be gone from there. DEREF_FAULTS=all is every call with one of its errors in turn, DEREF_FAULTS=errors is
// every call with every error. Otherwise one call in twenty fails, and one in 160 with -short.
func TestEachCallFails(t *testing.T) {
	names, derefd, processes := serve(t), sync.OnceValue(func() string { return build(t) }), make(chan *process, runtime.GOMAXPROCS(0))
	for range cap(processes) {
		processes <- start(t)
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			if s.waits && os.Getenv(modeName) == "" {
				t.Skip("it takes long: only with " + modeName)
			}
			t.Parallel()
			dir, p := t.TempDir(), <-processes
			defer func() { processes <- p }()
			x := &trial{scenario: s, process: p, names: names, derefd: derefd}
			x.learn(t, dir)
			for _, f := range x.faults() {
				x.fail(t, dir, f)
			}
		})
	}
}

// build builds derefd.
func build(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "derefd")
	if out, err := exec.Command("go", "build", "-o", name, "example.org/deref/cmd/derefd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// modeName is the variable that selects how many calls fail.
const modeName = "DEREF_FAULTS"

// faults returns what is to fail.
func (x *trial) faults() (list []fault) {
	step := 20
	if testing.Short() {
		step = 160
	}
	if os.Getenv(modeName) != "" {
		step = 1
	}
	numbers := map[bool]int{}
	for i, c := range x.calls {
		numbers[c.socket]++
		at := numbers[c.socket]
		errors := errorsOf(c)
		if os.Getenv(modeName) != "errors" {
			errors = errors[at%len(errors):][:1]
		}
		if i%(step*max(x.few, 1)) != 0 || c.socket && x.files {
			continue
		}
		for _, errno := range errors {
			f := fault{sockets: c.socket, at: at, count: 1, errno: errno}
			if list = append(list, f); c.ends() && !(x.paces && (c.socket || x.files)) {
				f.count = 0
				list = append(list, f)
			}
		}
	}
	return list
}

// fail does the work with a fault, judges what is there then, and does the work again without a fault.
func (x *trial) fail(t *testing.T, dir string, f fault) {
	t.Helper()
	x.old.at(t, dir)
	r, calls := x.do(t, x.order(dir, x.line), f)
	if i := slices.IndexFunc(calls, func(c call) bool { return c.failed != 0 }); i >= 0 {
		f.errno = calls[i].failed
	}
	j := judgment{trial: x, report: r, calls: calls, fault: f, got: treeOf(t, dir), temp: treeOf(t, x.temp)}
	j.judge(t)
	tree{}.at(t, x.temp)
	if r.Status != x.status {
		r, _ = x.do(t, x.order(dir, x.line), fault{})
		for range x.runs - 1 {
			if r.Status != x.status {
				r, _ = x.do(t, x.order(dir, x.line), fault{})
			}
		}
		j.judgeAgain(t, r, treeOf(t, dir))
	}
	for _, line := range x.checks {
		if checked, _ := x.do(t, x.order(dir, line), fault{}); r.Status == x.status && r.answer == x.answer && checked.Status != 0 {
			j.errorf(t, "then %s: status %d\n%s", line, checked.Status, checked.Stderr)
		}
	}
}

// isOne reports whether one of the patterns matches the name or a directory that it is in.
func isOne(name string, patterns []string) bool {
	for ; name != "."; name = path.Dir(name) {
		for _, pattern := range patterns {
			if ok, _ := path.Match(pattern, name); ok {
				return true
			}
		}
	}
	return false
}

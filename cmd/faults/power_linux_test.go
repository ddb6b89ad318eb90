//go:build amd64

package faults

import (
	"os"
	"strings"
	"testing"
)

// A durable is a piece of work that promises what a power failure cannot take away.
type durable struct {
	scenario
	fsync bool // its files are the old ones or the new ones at any moment, and the new ones after its end
}

func durables() []durable {
	warc := []string{"*.warc", "*.warc.gz", "*.cdxj", "*.open", "state*"}
	list := map[string]string{"list": "$WEB/small\n$WEB/large\n$WEB/index.html\n"}
	return []durable{
		{scenario{name: "a file", line: "--fsync -o x $WEB/small"}, true},
		{scenario{name: "over a file", have: map[string]string{"x": older}, line: "--fsync -R -o x $WEB/small"}, true},
		{scenario{name: "a long file", have: map[string]string{"x": older}, line: "--fsync -C - -o x $WEB/large"}, true},
		{scenario{name: "into a directory", line: "--fsync --create-dirs -o a/b/x $WEB/small"}, true},
		{scenario{name: "a list", have: list, line: "--fsync --parallel-max 1 -O --input list --output-dir out --create-dirs --state state", varies: []string{"state*"}}, true},
		{scenario{name: "an archive", have: list, line: "--parallel-max 1 --input list --state state --warc a.warc.gz --cdx", varies: warc,
			checks: []string{"warc check a.warc.gz", "--from-warc a.warc.gz $WEB/small", "--from-warc a.warc.gz $WEB/large", "--from-warc a.warc.gz $WEB/index.html"}}, false},
		{scenario{name: "merged archives", prepare: []string{"--warc a.warc.gz -o y $WEB/small", "--warc b.warc.gz -o y $WEB/large"},
			line: "warc merge -o c.warc.gz a.warc.gz b.warc.gz", varies: warc, checks: []string{"warc check c.warc.gz", "--from-warc c.warc.gz $WEB/large"}}, false},
	}
}

// TestPromise2PowerFails does the work of each durable once, makes every disk that a power failure may have left at any of its moments, and does the
// work again there. Without DEREF_FAULTS it is every fourth disk.
func TestPromise2PowerFails(t *testing.T) {
	names, p := serve(t), start(t)
	for _, d := range durables() {
		t.Run(d.name, func(t *testing.T) {
			dir := t.TempDir()
			x := &trial{scenario: d.scenario, process: p, names: names}
			x.learn(t, dir)
			x.old.at(t, dir)
			r := record(t, dir)
			p.supervisor.before = r.before(p)
			done, _ := x.do(t, x.order(dir, x.line), fault{})
			p.supervisor.before = nil
			r.modified = true
			r.note("the end")
			if done.Status != 0 {
				t.Fatalf("got status %d\n%s", done.Status, done.Stderr)
			}
			known, states := map[string]bool{}, 0
			for i, m := range r.moments {
				for what, left := range m.afterwards() {
					ended := i == len(r.moments)-1
					if known[left.key()] && !ended {
						continue
					}
					known[left.key()] = true
					if os.Getenv(modeName) == "" && !ended && len(known)%4 != 0 {
						continue
					}
					states++
					if d.fsync {
						x.judgeFiles(t, ended, m.after+", "+what, left)
					}
					x.recover(t, dir, m.after+", "+what, left)
				}
			}
			t.Logf("%d moments, %d disks", len(r.moments), states)
		})
	}
}

// judgeFiles compares the files of a disk with those before and after the work.
func (x *trial) judgeFiles(t *testing.T, ended bool, when string, left tree) {
	t.Helper()
	for name, new := range x.new {
		text, is := left[name]
		old, was := x.old[name]
		switch {
		case is && text == new, isOne(name, x.varies):
		case ended:
			t.Errorf("%s: %s has %d bytes after the end of the command line, want %d", when, name, len(text), len(new))
		case is && text != old, !is && was:
			t.Errorf("%s: %s has %d bytes, want the old file or the new one", when, name, len(text))
		}
	}
}

// recover does the work again on a disk that a power failure has left.
func (x *trial) recover(t *testing.T, dir, when string, left tree) {
	t.Helper()
	left.at(t, dir)
	again, _ := x.do(t, x.order(dir, x.line), fault{})
	exists := strings.Contains(again.Stderr, "already exists")
	if again.Status != x.status && !exists {
		t.Errorf("%s: the next run: status %d\n%s", when, again.Status, again.Stderr)
		return
	}
	got := treeOf(t, dir)
	for name, text := range x.new {
		if !isOne(name, x.varies) && got[name] != text {
			t.Errorf("%s: after the next run, %s has %d bytes, want %d", when, name, len(got[name]), len(text))
		}
	}
	for _, line := range x.checks {
		if r, _ := x.do(t, x.order(dir, line), fault{}); r.Status != 0 {
			t.Errorf("%s: after the next run, %s: status %d\n%s", when, line, r.Status, r.Stderr)
		}
	}
}

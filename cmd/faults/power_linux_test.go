//go:build amd64

package faults

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
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
		{scenario{name: "a mirror", line: "mirror -s $WEB/ m", varies: []string{"m/.deref"}, made: []string{"m/*.html"}, few: 10}, false},
		{scenario{name: "a mirror, again", prepare: []string{"mirror -s $WEB/ m"}, have: map[string]string{"m/gone": older}, line: "mirror -s --delete $WEB/ m",
			varies: []string{"m/.deref"}, made: []string{"m/*.html"}, few: 10}, false},
		{scenario{name: "the archive of a mirror", line: "mirror -s --cdx --warc a.warc.gz $WEB/ m", varies: append(warc, "m"), few: 30,
			checks: []string{"warc check a.warc.gz", "--from-warc a.warc.gz $WEB/small", "--from-warc a.warc.gz $WEB/large"}}, false},
		{scenario{name: "a cache", line: "--cache c -o x $WEB/small", varies: []string{"c"}}, false},
		{scenario{name: "cookies", line: "-b jar -c jar -o x $WEB/cookie", varies: []string{"jar"}, have: map[string]string{"jar": ""}}, false},
		{scenario{name: "derefd", have: map[string]string{"job.toml": "task = \"archive\"\nseeds = [\"$WEB/small\", \"$WEB/large\"]\nretries = 0\n"},
			line: "derefd run job.toml", waits: true, few: 200, varies: []string{"job.data"},
			checks: []string{"--from-warc job.data/warc --force -o z $WEB/small", "--from-warc job.data/warc --force -o z $WEB/large"}}, false},
		{scenario{name: "watch", line: "watch --state state $WEB/small", varies: []string{"state*"}}, false},
	}
}

// TestPromise2PowerFails does the work of each durable once, makes every disk that a power failure may have left at any of its moments, and does the
// work again there. Without DEREF_FAULTS it makes every eighth disk. Where the work takes long, it makes fewer, only
// those of every tenth moment, and none with -short.
func TestPromise2PowerFails(t *testing.T) {
	names, p, derefd := serve(t), start(t), sync.OnceValue(func() string { return build(t) })
	for _, d := range durables() {
		t.Run(d.name, func(t *testing.T) {
			step, every, dir := max(d.few, 1), 1, t.TempDir()
			if os.Getenv(modeName) == "" {
				if step *= 8; d.few > 0 {
					step, every = step/10, 10
				}
				if d.waits || testing.Short() && d.few > 0 {
					t.Skip("it takes long: see " + modeName)
				}
				if testing.Short() {
					step *= 3
				}
			}
			x := &trial{scenario: d.scenario, process: p, names: names, derefd: derefd}
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
			known, made, states := map[string]bool{}, 0, 0
			for i, m := range r.moments {
				ended := i == len(r.moments)-1
				if !ended && i%every > 0 {
					continue
				}
				for what, left := range m.afterwards() {
					if known[left.key()] && !ended {
						continue
					}
					known[left.key()] = true
					if made++; made%step > 0 && !(ended && every == 1) {
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

// recover does the work again on a disk that a power failure has left, after another start of the system.
func (x *trial) recover(t *testing.T, dir, when string, left tree) {
	t.Helper()
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		for name, text := range left {
			left[name] = strings.ReplaceAll(text, strings.TrimSpace(string(boot)), "another start")
		}
	}
	left.at(t, dir)
	again, _ := x.do(t, x.order(dir, x.line), fault{})
	exists := strings.Contains(again.Stderr, "already exists")
	if again.Status != x.status && !exists {
		t.Errorf("%s: the next run: status %d\n%s", when, again.Status, again.Stderr)
		return
	}
	got := treeOf(t, dir)
	all := slices.Sorted(maps.Values(got))
	for name, text := range x.new {
		// A mirror whose manifest is lost does not replace the files that are there: documents get other names, and pages refer to these.
		renamed := strings.Contains(strings.Join(slices.Collect(maps.Keys(got)), ""), "~") && (isOne(name, x.made) || slices.Contains(all, text))
		if !isOne(name, x.varies) && got[name] != text && !renamed {
			t.Errorf("%s: after the next run, %s has %d bytes, want %d", when, name, len(got[name]), len(text))
		}
	}
	for _, line := range x.checks {
		if r, _ := x.do(t, x.order(dir, line), fault{}); r.Status != 0 {
			t.Errorf("%s: after the next run, %s: status %d\n%s", when, line, r.Status, r.Stderr)
		}
	}
}

package uri

import "strings"

// Relativize returns the shortest reference that resolves to v against u. See [Mode.Relativize].
func (u URI) Relativize(v URI) URI { return RFC3986.Relativize(u, v) }

// Relativize returns a reference that resolves against base to the same URI as u. It is the shortest among the forms of RFC 3986 §4.2 and of the
// drafts ("partial forms"), or the URI itself if none of them does.
func (m Mode) Relativize(base, u URI) URI {
	r := relative{mode: m, base: base, target: m.Resolve(base, u)}
	r.best = r.target
	t := r.target
	r.try(t.s[t.frag:])
	r.try(t.s[t.query:])
	if base.s[:base.path] == t.s[:t.path] {
		r.tryPath()
	}
	r.try(t.s[t.path:])
	r.try("/." + t.s[t.path:]) // D12: a path that starts with "//"
	r.try(t.s[t.start():])
	if m.Drafts() {
		for n := 1; n <= maxRun; n++ {
			i := m.cut(base, n)
			if i < len(t.s) && strings.HasPrefix(t.s, base.s[:i]) {
				r.try(t.s[i:])
			}
		}
	}
	return r.best
}

// maxRun is the largest number of slashes that is tried at the start of a reference.
const maxRun = 8

type relative struct {
	mode               Mode
	base, target, best URI
}

// try makes s the best reference if it is shorter and resolves to the target.
func (r *relative) try(s string) {
	if len(s) >= len(r.best.s) {
		return
	}
	ref, err := r.mode.Parse(s)
	if err == nil && r.mode.Resolve(r.base, ref).s == r.target.s {
		r.best = ref
	}
}

// tryPath tries references relative to the directory of the base.
func (r *relative) tryPath() {
	b, t := string(r.base.Path()), string(r.target.Path())
	tail := r.target.s[r.target.query:]
	b = b[:strings.LastIndexByte(b, '/')+1]
	common := 0
	for i := 0; i < len(b) && i < len(t) && b[i] == t[i]; i++ {
		if b[i] == '/' {
			common = i + 1
		}
	}
	up := strings.Repeat("../", strings.Count(b[common:], "/"))
	rest := t[common:]
	r.try(up + rest + tail)
	r.try("./" + rest + tail)
	if rest == "" {
		r.try("." + tail)
		r.try(strings.TrimSuffix(up, "/") + tail)
	}
}

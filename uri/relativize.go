package uri

import "strings"

// Relativize returns the shortest reference that leads from u to v. See [Mode.Relativize].
func (u URI) Relativize(v URI) URI { return RFC3986.Relativize(u, v) }

// Relativize returns a reference that leads from base to u: it resolves to
// what u itself resolves to. It is the shortest of the forms of RFC 3986 §4.2
// and the drafts' ("partial forms") that does; where none does, u resolved.
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
	if m.drafts() {
		for n := 1; n <= maxRun; n++ {
			i := m.cut(base, n)
			if i < len(t.s) && strings.HasPrefix(t.s, base.s[:i]) {
				r.try(t.s[i:])
			}
		}
	}
	return r.best
}

// maxRun is the longest run of slashes that is tried as a reference's front.
const maxRun = 8

type relative struct {
	mode               Mode
	base, target, best URI
}

// try takes s in place of the best, if it is shorter and leads to the target.
func (r *relative) try(s string) {
	if len(s) >= len(r.best.s) {
		return
	}
	ref, err := r.mode.Parse(s)
	if err == nil && r.mode.Resolve(r.base, ref).s == r.target.s {
		r.best = ref
	}
}

// tryPath tries references relative to the folder of the base.
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

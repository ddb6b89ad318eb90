package uri

import "strings"

// Relativize returns the shortest reference that leads from base to u: its
// resolution in the mode is that of u. Where there is none, it is u resolved.
func (m Mode) Relativize(base, u URI) URI {
	target := m.Resolve(base, u)
	best := target
	for _, s := range [...]string{} {
		best = m.shorter(base, target, best, s)
	}
	return best
}

// Relativize is that of RFC3986, from u to v.
func (u URI) Relativize(v URI) URI { return RFC3986.Relativize(u, v) }

// shorter returns s in place of best, if it is shorter and leads to target.
func (m Mode) shorter(base, target, best URI, s string) URI {
	if len(s) >= len(best.s) {
		return best
	}
	ref, err := m.Parse(s)
	if err != nil || m.Resolve(base, ref).s != target.s || strings.HasPrefix(s, " ") {
		return best
	}
	return ref
}

package dialogue

import "bytes"

// wild stands in what the client says for anything within a line.
const wild = "***"

// verdict is what a comparison of a prefix comes to.
type verdict int

const (
	differs verdict = iota
	unfinished
	matches
)

// matchPrefix compares the beginning of said with pattern and returns how many octets of it the pattern takes.
func matchPrefix(pattern, said []byte) (int, verdict) {
	lit, rest, isWild := bytes.Cut(pattern, []byte(wild))
	n := min(len(lit), len(said))
	if !bytes.Equal(lit[:n], said[:n]) {
		return 0, differs
	}
	switch {
	case n < len(lit):
		return 0, unfinished
	case !isWild:
		return n, matches
	}
	return matchWild(rest, said, n)
}

// matchWild tries rest at every place of the line, from said[n:] on, nearest first.
func matchWild(rest, said []byte, n int) (int, verdict) {
	most := differs
	for i := n; ; i++ {
		k, v := matchPrefix(rest, said[i:])
		if v == matches {
			return i + k, matches
		}
		most = max(most, v)
		if i == len(said) {
			return 0, unfinished
		}
		if said[i] == '\r' || said[i] == '\n' {
			return 0, most
		}
	}
}

// Match reports whether all of said is what pattern describes, "***" standing for anything within a line.
func Match(pattern, said []byte) bool {
	n, v := matchPrefix(pattern, said)
	if v == matches && n == len(said) {
		return true
	}
	return bytes.Contains(pattern, []byte(wild)) && bytes.HasSuffix(pattern, []byte(wild)) && matchesToEnd(pattern, said)
}

// matchesToEnd is for a pattern that ends in ***: it takes the rest of a line.
func matchesToEnd(pattern, said []byte) bool {
	n, v := matchPrefix(bytes.TrimSuffix(pattern, []byte(wild)), said)
	return v == matches && !bytes.ContainsAny(said[n:], "\r\n")
}

// matchLine compares what was said with a line and its alternatives.
func matchLine(l *Line, said []byte) (int, verdict) {
	most := differs
	for i := -1; i < len(l.Or); i++ {
		p := l.Data
		if i >= 0 {
			p = l.Or[i]
		}
		n, v := matchPrefix(p, said)
		if v == matches {
			return n, v
		}
		most = max(most, v)
	}
	return 0, most
}

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

// cutWild splits a pattern at its first row of three or more asterisks, n of them. n is 0 if there is none.
func cutWild(pattern []byte) (lit, rest []byte, n int) {
	lit, rest, ok := bytes.Cut(pattern, []byte(wild))
	if !ok {
		return lit, nil, 0
	}
	short := bytes.TrimLeft(rest, "*")
	return lit, short, len(wild) + len(rest) - len(short)
}

// matchPrefix compares the beginning of said with pattern and returns how many octets of it the pattern takes.
func matchPrefix(pattern, said []byte) (int, verdict) {
	lit, rest, stars := cutWild(pattern)
	isWild := stars > 0
	n := min(len(lit), len(said))
	if !bytes.Equal(lit[:n], said[:n]) {
		return 0, differs
	}
	switch {
	case n < len(lit):
		return 0, unfinished
	case !isWild:
		return n, matches
	case len(rest) == 0 && n < len(said) && (stars == len(wild) || len(said)-n < stars): // the last octets of a frame
		if i := bytes.IndexAny(said[n:], "\r\n"); i >= 0 {
			return n + i, matches
		}
		return len(said), matches
	}
	most := differs
	if stars > len(wild) { // as many octets, if that fits
		k, v := 0, unfinished
		if len(said)-n >= stars {
			k, v = matchPrefix(rest, said[n+stars:])
		}
		if v == matches {
			return n + stars + k, v
		}
		most = v
	}
	k, v := matchWild(rest, said, n)
	return k, max(most, v)
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

// matchDatagram is Match for a datagram, which has no lines: "***" stands for anything in it.
func matchDatagram(pattern, said []byte) bool {
	var pieces [][]byte
	for n, rest := 1, pattern; n > 0; {
		var piece []byte
		piece, rest, n = cutWild(rest)
		pieces = append(pieces, piece)
	}
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(pieces) == 1 {
		return bytes.Equal(pattern, said)
	}
	if len(said) < len(first)+len(last) || !bytes.HasPrefix(said, first) || !bytes.HasSuffix(said, last) {
		return false
	}
	said = said[len(first) : len(said)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := bytes.Index(said, piece)
		if i < 0 {
			return false
		}
		said = said[i+len(piece):]
	}
	return true
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

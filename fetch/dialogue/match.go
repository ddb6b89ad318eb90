package dialogue

import "bytes"

// wild matches any text within a line of the client.
const wild = "***"

// verdict is the result of matching a prefix.
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

// matchPrefix matches the beginning of text with pattern and returns how many bytes match.
func matchPrefix(pattern, text []byte) (int, verdict) {
	lit, rest, stars := cutWild(pattern)
	isWild := stars > 0
	n := min(len(lit), len(text))
	if !bytes.Equal(lit[:n], text[:n]) {
		return 0, differs
	}
	switch {
	case n < len(lit):
		return 0, unfinished
	case !isWild:
		return n, matches
	case len(rest) == 0 && n < len(text) && (stars == len(wild) || len(text)-n < stars): // the last bytes of a frame
		if i := bytes.IndexAny(text[n:], "\r\n"); i >= 0 {
			return n + i, matches
		}
		return len(text), matches
	}
	most := differs
	if stars > len(wild) { // as many bytes, if the rest matches
		k, v := 0, unfinished
		if len(text)-n >= stars {
			k, v = matchPrefix(rest, text[n+stars:])
		}
		if v == matches {
			return n + stars + k, v
		}
		most = v
	}
	k, v := matchWild(rest, text, n)
	return k, max(most, v)
}

// matchWild tries to match rest at each place of the line, beginning at text[n:].
func matchWild(rest, text []byte, n int) (int, verdict) {
	most := differs
	for i := n; ; i++ {
		k, v := matchPrefix(rest, text[i:])
		if v == matches {
			return i + k, matches
		}
		most = max(most, v)
		if i == len(text) {
			return 0, unfinished
		}
		if text[i] == '\r' || text[i] == '\n' {
			return 0, most
		}
	}
}

// Match reports whether pattern matches the whole text. "***" matches anything within a line.
func Match(pattern, text []byte) bool {
	n, v := matchPrefix(pattern, text)
	if v == matches && n == len(text) {
		return true
	}
	return bytes.HasSuffix(pattern, []byte(wild)) && matchesToEnd(pattern, text)
}

// matchesToEnd matches a pattern that ends with ***, which matches the rest of a line.
func matchesToEnd(pattern, text []byte) bool {
	n, v := matchPrefix(bytes.TrimSuffix(pattern, []byte(wild)), text)
	return v == matches && !bytes.ContainsAny(text[n:], "\r\n")
}

// matchDatagram is Match for a datagram, which has no lines: "***" matches any bytes.
func matchDatagram(pattern, text []byte) bool {
	var pieces [][]byte
	for n, rest := 1, pattern; n > 0; {
		var piece []byte
		piece, rest, n = cutWild(rest)
		pieces = append(pieces, piece)
	}
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(pieces) == 1 {
		return bytes.Equal(pattern, text)
	}
	if len(text) < len(first)+len(last) || !bytes.HasPrefix(text, first) || !bytes.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := bytes.Index(text, piece)
		if i < 0 {
			return false
		}
		text = text[i+len(piece):]
	}
	return true
}

// matchLine matches text with a line and its alternatives.
func matchLine(l *Line, text []byte) (int, verdict) {
	most := differs
	for _, form := range l.forms() {
		n, v := matchPrefix(form, text)
		if v == matches {
			return n, v
		}
		most = max(most, v)
	}
	return 0, most
}

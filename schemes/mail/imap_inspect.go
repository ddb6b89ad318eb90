package mail

import (
	"bytes"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// inspect reads along with the library.
func (g *guard) inspect(p []byte) error {
	for len(p) > 0 {
		if g.literal > 0 {
			n := min(int64(len(p)), g.literal)
			p = p[n:]
			if g.literal -= n; g.literal == 0 && g.isLarge {
				g.isLarge = false
				g.beginReply()
			}
			continue
		}
		if p[0] == ']' && g.line.inFlags() {
			g.deviates("RFC 9051 section 9", "a keyword", `"]" in its name`)
			p[0] = '_' // QUIRK: the library rejects keywords with "]", which Gmail has (bpo-21815): not atoms (RFC 9051 section 9)
		}
		c := p[0]
		p = p[1:]
		if c == '\n' && g.last != '\r' {
			g.deviates(imapLineRule, imapLine, bareLF)
		}
		g.last = c
		if g.left--; g.left < 0 {
			return fetch.Errorf(fetch.ErrLimit, "the server sends more than %d bytes that were not requested", g.maxUnrequested)
		}
		size, err := g.line.next(c, g.nesting)
		if err == nil && g.line.isSearch() {
			err = g.order.next(c)
		}
		if err != nil {
			return err
		}
		if size > 0 {
			if err := g.beginLiteral(size); err != nil {
				return err
			}
		} else if c == '\n' && size < 0 {
			g.endLine()
		}
	}
	return nil
}

// Words of deviations. RFC 9051 section 2.2 is about lines.
const imapLineRule, imapLine, bareLF = "RFC 9051 section 2.2", "a line of a response", "LF without CR"

func (g *guard) deviates(section, where, text string) {
	if g.env != nil {
		g.env.Deviates(section, where, "%s", text)
	}
}

// beginLiteral begins a literal. A small one counts like the rest of the line.
func (g *guard) beginLiteral(size int64) error {
	g.literal = size
	if size <= int64(g.left) && (g.large == 0 || size < 4<<10) {
		g.left -= int(size)
		return nil
	}
	if g.large == 0 {
		return fetch.Errorf(fetch.ErrLimit, "the server announces %d bytes that were not requested", size)
	}
	g.large--
	g.isLarge = true
	g.beginBody()
	return nil
}

// endLine handles a whole line.
func (g *guard) endLine() {
	head := string(g.line.head)
	if _, ok := tagOf(g.line.head); ok && g.pending > 0 {
		g.pending--
	}
	if rest, ok := cutPrefixFold(head, "* BYE"); ok {
		g.bye = strings.TrimSpace(rest)
	}
	g.line = scanner{head: g.line.head[:0]}
}

// addCapabilities inserts the known capabilities into the response to a login, if it has none.
//
// QUIRK: go-imap would otherwise send CAPABILITY in a goroutine of its own, before or after the next command: neither planned nor
// announced. Nothing here depends on what a server offers only after the login.
func (g *guard) addCapabilities() {
	if g.loginTag == "" {
		return
	}
	head := []byte(g.loginTag + " OK")
	at := 0
	if !bytes.HasPrefix(g.ready, head) {
		if at = bytes.Index(g.ready, append([]byte("\n"), head...)) + 1; at == 0 {
			return
		}
	}
	at += len(head)
	g.loginTag = ""
	if rest := g.ready[at:]; !bytes.HasPrefix(rest, []byte(" [CAPABILITY ")) {
		g.ready = slices.Insert(g.ready, at, []byte(" "+g.caps)...)
	}
}

// reorderItems puts the items of a listing's FETCH into the order of headerItems. The library uses another order.
func reorderItems(p []byte) []byte {
	tag, _ := tagOf(p)
	if tag == "" || !bytes.HasPrefix(p[len(tag):], []byte(" UID FETCH ")) {
		return p
	}
	return bytes.Replace(p, []byte("RFC822.SIZE INTERNALDATE"), []byte("INTERNALDATE RFC822.SIZE"), 1)
}

// A searchOrderCheck limits how many numbers of a search response are out of order.
//
// QUIRK: the library keeps the numbers as a sorted list of ranges, and moves all later ones to insert a number that is smaller than the
// last: 150,000 in descending order, which fit into a reply, take it some ten seconds, in a goroutine that nothing ends.
type searchOrderCheck struct {
	last, number uint64
	digits       bool
	back         int // numbers that were smaller than the last
}

// maxBack is far more than any server sends for a reason.
const maxBack = 4096

func (o *searchOrderCheck) next(c byte) error {
	if '0' <= c && c <= '9' {
		if o.number < 1<<32 {
			o.number = o.number*10 + uint64(c-'0')
		}
		o.digits = true
		return nil
	}
	if !o.digits {
		return nil
	}
	if o.number < o.last {
		if o.back++; o.back > maxBack {
			return fetch.Errorf(fetch.ErrLimit, "more than %d numbers of the search response are out of order", maxBack)
		}
	}
	o.last, o.number, o.digits = o.number, 0, false
	return nil
}

// Beginnings of search responses (RFC 3501 section 7.2.5, RFC 9051 section 7.3.4).
const search, esearch = "* SEARCH ", "* ESEARCH "

// isSearch reports whether the line is a search response, or has a code that may contain as many numbers (COPYUID).
func (s *scanner) isSearch() bool { return s.text || s.search }

func foldPrefix(b []byte, prefix string) bool {
	if len(b) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if c := b[i]; c != prefix[i] && c != prefix[i]|0x20 {
			return false
		}
	}
	return true
}

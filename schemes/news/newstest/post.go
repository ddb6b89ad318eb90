package newstest

import (
	"fmt"
	"io"
	"strings"
	"time"

	"example.org/deref/schemes/internal/lineproto"
)

// maxPost bounds a posted article.
const maxPost = 1 << 20

// cmdPOST accepts an article (RFC 3977 section 6.3.1).
func (x *session) cmdPOST([]string) {
	if !x.o.Posting {
		x.reply(440, "Posting is not permitted")
		return
	}
	x.reply(340, "Send the article")
	if x.flush() != nil {
		return
	}
	raw, ok := x.receive()
	switch {
	case !ok:
		x.done = true
	case x.faulty("ARTICLE-SENT"):
	default:
		if why := x.accept(raw); why != "" {
			x.reply(441, "%s", why)
			return
		}
		x.reply(240, "Article received")
	}
}

// receive reads a dot-stuffed text.
func (x *session) receive() ([]byte, bool) {
	x.c.SetReadDeadline(time.Now().Add(x.o.Idle))
	p, err := io.ReadAll(io.LimitReader(lineproto.NewDotReader(x.r), maxPost+1))
	return p, err == nil && len(p) <= maxPost
}

// accept stores an article. It returns why the server refuses it, or "".
func (x *session) accept(raw []byte) (why string) {
	a := parseArticle(raw)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range []string{"from", "newsgroups", "subject"} {
		if a.header.Get(name) == "" {
			return "no " + name
		}
	}
	for name := range strings.SplitSeq(a.header.Get("Newsgroups"), ",") {
		name = strings.TrimSpace(name)
		if x.spool.groups[name] == nil {
			return "no such group"
		}
	}
	if a.id == "" {
		a = parseArticle(fmt.Appendf(nil, "Message-ID: <%d@newstest.example>\r\n%s", len(x.spool.byID)+1, raw))
	}
	if x.spool.byID[a.id] != nil {
		return "there is an article of that message-id"
	}
	x.spool.add(a)
	return ""
}

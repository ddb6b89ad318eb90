package mail

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

const asMailbox = "From tim@site.example Thu Jan  1 00:00:00 1970\nFrom: Tim <tim@site.example>\nMessage-ID: <a@b>\n\ntext\n\n"

// TestBatchConformance reads a mailbox with one command for many messages. Those that the server does not return are fetched again: one whose
// flags have just changed, and one that is gone.
func TestBatchConformance(t *testing.T) {
	o := fetch.Options{Login: fetch.Login{User: "bob", Password: "open sesame", Set: true}, Set: map[string][]string{"imap.view": {"mbox"}}}
	search := strings.Replace(dialogueHead, "S: * 3 EXISTS", "S: * 4 EXISTS", 1) + `
*: UID SEARCH ALL
C: T3 UID SEARCH ALL
S: * SEARCH 5 6 7 8
S: T3 OK done
*: [if the search has hits]
`
	text := strings.TrimSuffix(dialogueText, "S: T3 OK done\n")
	fetchtest.Test(t, Schemes(nil)[3],
		fetchtest.Case{Name: "batch", URI: "imap://mail.example/INBOX", Options: o, Body: strings.Repeat(asMailbox, 3), Type: maildoc.MailboxType,
			End: fetch.EndTerminated, Script: search + `*: UID FETCH 5,6,7,8 (UID BODY.PEEK[])
C: T4 UID FETCH 5:8 (UID BODY.PEEK[])
S: * 1 FETCH (UID 5 BODY[] {57}
` + text + `S: * 2 FETCH (UID 6 FLAGS ($Seen))
S: * 4 FETCH (UID 8 BODY[] {57}
` + text + `S: T4 OK done
*: UID FETCH 6 (UID BODY.PEEK[])
C: T5 UID FETCH 6 (UID BODY.PEEK[])
S: * 2 FETCH (UID 6 BODY[] {57}
` + text + `S: T5 OK done
*: UID FETCH 7 (UID BODY.PEEK[])
C: T6 UID FETCH 7 (UID BODY.PEEK[])
S: T6 OK done
`},
		fetchtest.Case{Name: "refused after a message", URI: "imap://mail.example/INBOX", Options: o, Err: fetch.ErrRefused, Script: search +
			`*: UID FETCH 5,6,7,8 (UID BODY.PEEK[])
C: T4 UID FETCH 5:8 (UID BODY.PEEK[])
S: * 1 FETCH (UID 5 BODY[] {57}
` + text + `S: T4 NO not the others
`},
		fetchtest.Case{Name: "another part", URI: "imap://mail.example/INBOX", Options: o, Err: fetch.ErrProtocol, Script: search +
			`*: UID FETCH 5,6,7,8 (UID BODY.PEEK[])
C: T4 UID FETCH 5:8 (UID BODY.PEEK[])
S: * 1 FETCH (UID 5 BODY[TEXT] {57}
` + text + `S: T4 OK done
`},
	)
}

// TestBatchLimits reads a mailbox that is many times larger than a reply may be, in small and in large messages; but a server that sends
// messages that were not requested, or one of them twice, is stopped.
func TestBatchLimits(t *testing.T) {
	t.Parallel()
	const messages = 40
	for name, tt := range map[string]struct {
		size, copies int
		want         fetch.Kind
	}{"small": {2 << 10, 1, ""}, "large": {20 << 10, 1, ""}, "unrequested": {20 << 10, 20, fetch.ErrLimit}} {
		addr := answering(t, func(w io.Writer, tag, line string) {
			switch verb, _, _ := strings.Cut(line, " "); {
			case verb == "CAPABILITY":
				fmt.Fprint(w, "* CAPABILITY IMAP4rev1\r\n")
			case verb == "EXAMINE":
				fmt.Fprintf(w, "* %d EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n", messages)
			case strings.HasPrefix(line, "UID SEARCH"):
				fmt.Fprint(w, "* SEARCH")
				for uid := range messages {
					fmt.Fprintf(w, " %d", uid+1)
				}
				fmt.Fprint(w, "\r\n")
			case strings.HasPrefix(line, "UID FETCH"):
				for i := range messages * tt.copies {
					fmt.Fprintf(w, "* %d FETCH (UID %[1]d BODY[] {%d}\r\n%s)\r\n", 1+i/tt.copies, tt.size, strings.Repeat("x", tt.size))
				}
			}
			fmt.Fprintf(w, "%s OK done\r\n", tag)
		})
		c := fetch.New(Schemes(nil)...)
		c.Limits.Reply = 16 << 10
		d, err := c.Get(t.Context(), uri.MustParse("imap://ann:pw@"+addr+"/INBOX"), &fetch.Options{Set: map[string][]string{"imap.view": {"mbox"}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		c.Close()
		if got := strings.Count(string(b), "x"); fetch.KindOf(err) != tt.want || tt.want == "" && got != messages*tt.size {
			t.Errorf("%s: got %d bytes of messages, %v; want %d, kind %q", name, got, err, messages*tt.size, tt.want)
		}
	}
}

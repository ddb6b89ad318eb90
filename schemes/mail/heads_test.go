package mail

import (
	"testing"
	"time"
)

// The entry of a message with an ordinary header is made with few allocations, since a mailbox may have 10,000 of them.
func TestCostOfAnEntry(t *testing.T) {
	m := head{uid: 1, size: 7, fields: []byte("From: Ann <ann@site.example>\r\nSubject: A subject\r\nDate: Tue, 20 Dec 1994 12:00:05 +0000\r\n" +
		"Message-ID: <1@site.example>\r\nReferences: <2@site.example>\r\n\r\n")}
	want := time.Date(1994, 12, 20, 12, 0, 5, 0, time.UTC)
	if e := m.entry(); !e.Modified.Equal(want) || e.Title != "A subject" || e.Attr["mid"][0] != "mid:1@site.example" {
		t.Errorf("got %v %q %v, want %v, the subject and the id", e.Modified, e.Title, e.Attr, want)
	}
	if n := testing.AllocsPerRun(50, func() { m.entry() }); n > 40 {
		t.Errorf("got %v allocations, want at most 40", n)
	}
}

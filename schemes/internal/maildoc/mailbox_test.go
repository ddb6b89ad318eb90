package maildoc

import (
	"errors"
	"io"
	"iter"
	"net/textproto"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"example.org/deref/fetch"
)

// A body counts how often it is closed.
type body struct {
	io.Reader
	closed int
}

func (b *body) Close() error {
	b.closed++
	return nil
}

// letters returns messages as Mailbox gets them, and their bodies.
func letters(texts ...string) (list []*fetch.Document, bodies []*body) {
	for _, text := range texts {
		b := &body{Reader: iotest.OneByteReader(strings.NewReader(text))}
		d := fetch.NewDocument(b)
		d.Header = textproto.MIMEHeader{"From": {"A <a@h>"}}
		d.Modified = time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
		list, bodies = append(list, d), append(bodies, b)
	}
	return list, bodies
}

// each yields documents, and then an error unless it is nil.
func each(list []*fetch.Document, err error) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		for _, d := range list {
			if !yield(d, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

const box = "From a@h Tue Dec 20 12:00:00 1994\nA: b\n\none\n\nFrom a@h Tue Dec 20 12:00:00 1994\nA: c\n\n>From two\n>>From three\n\n"

func two() ([]*fetch.Document, []*body) {
	return letters("A: b\r\n\r\none\r\n", "A: c\r\n\r\nFrom two\r\n>From three\r\n")
}

// TestMailbox checks the form mboxrd, and that every message is closed once.
func TestMailbox(t *testing.T) {
	list, bodies := two()
	d := Mailbox(MailboxBody(each(list, nil), 0))
	b, err := io.ReadAll(d.Body)
	if got := strings.ReplaceAll(string(b), "\r", ""); err != nil || got != box || d.Type != MailboxType || d.End != fetch.EndTerminated {
		t.Errorf("%v %q, want %q", err, got, box)
	}
	d.Body.Close()
	for i, b := range bodies {
		if b.closed != 1 {
			t.Errorf("message %d: closed %d times, want 1", i, b.closed)
		}
	}
}

// TestMailboxFrom skips the saved part, wherever it ends.
func TestMailboxFrom(t *testing.T) {
	list, _ := two()
	whole, err := io.ReadAll(MailboxBody(each(list, nil), 0))
	if err != nil {
		t.Fatal(err)
	}
	for skip := range len(whole) + 1 {
		list, _ := two()
		if b, err := io.ReadAll(MailboxBody(each(list, nil), int64(skip))); err != nil || string(b) != string(whole[skip:]) {
			t.Errorf("after %d: got %v %q, want %q", skip, err, b, string(whole[skip:]))
		}
	}
	list, _ = two()
	if b, err := io.ReadAll(MailboxBody(each(list, nil), int64(len(whole))+1)); fetch.KindOf(err) != fetch.ErrChanged || len(b) > 0 {
		t.Errorf("after its end: got %v %q, want %v, at most len(b) 0", err, b, fetch.ErrChanged)
	}
}

// TestMailboxErrors: an error of a message, or instead of one, ends the mailbox unchanged.
func TestMailboxErrors(t *testing.T) {
	bad := errors.New("bad")
	list, bodies := two()
	bodies[1].Reader = io.MultiReader(strings.NewReader("A: c\r\n"), iotest.ErrReader(bad))
	for name, d := range map[string]*fetch.Document{"of a message": Mailbox(MailboxBody(each(list, nil), 0)), "instead of one": Mailbox(MailboxBody(each(nil, bad), 0))} {
		for range 2 { // also the second time
			if _, err := io.ReadAll(d.Body); err != bad {
				t.Errorf("%s: got %v, want err %v", name, err, bad)
			}
		}
		d.Body.Close()
	}
	if bodies[1].closed != 1 {
		t.Errorf("the broken message: closed %d times, want 1", bodies[1].closed)
	}
}

// TestMailboxLeft closes the current message if the mailbox is closed early, and requests no other.
func TestMailboxLeft(t *testing.T) {
	list, bodies := two()
	left := false
	d := Mailbox(MailboxBody(func(yield func(*fetch.Document, error) bool) {
		each(list, nil)(yield)
		left = true
	}, 0))
	if _, err := io.ReadFull(d.Body, make([]byte, 40)); err != nil {
		t.Fatal(err)
	}
	d.Body.Close()
	if bodies[0].closed != 1 || bodies[1].closed != 0 || !left {
		t.Errorf("closed %d and %d times, at the end %t, want 1, 0, true",
			bodies[0].closed, bodies[1].closed, left)
	}
	if _, err := d.Body.Read(make([]byte, 1000)); err == nil {
		if _, err = io.ReadAll(d.Body); err != io.ErrClosedPipe {
			t.Errorf("after Close: got %v, want err %v", err, io.ErrClosedPipe)
		}
	}
}

// TestSingle closes the message of a mailbox once, whether it was read, read in part, or not at all.
func TestSingle(t *testing.T) {
	for read, want := range []string{"", "F", strings.Split(box, "\n\nFrom")[0] + "\n\n"} {
		list, bodies := letters("A: b\r\n\r\none\r\n")
		b := SingleBody(list[0], 0)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(b, got); err != nil || string(got) != want {
			t.Errorf("got %v %q, want %q", err, got, want)
		}
		if read == 2 {
			if rest, err := io.ReadAll(b); err != nil || len(rest) > 0 {
				t.Errorf("after the end: got %v %q, want nothing", err, rest)
			}
		}
		if err := b.Close(); err != nil || bodies[0].closed != 1 {
			t.Errorf("after %q: got %v, closed %d times, want 1", want, err, bodies[0].closed)
		}
	}
}

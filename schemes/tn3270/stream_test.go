package tn3270

import (
	"bytes"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
)

func page037() codePage { return pageOf(&fetch.Options{}) }

// e is text in EBCDIC.
func e(s string) string {
	var b strings.Builder
	for _, r := range s {
		c, _ := page037().octet(r)
		b.WriteByte(c)
	}
	return b.String()
}

func TestOrders(t *testing.T) {
	for _, x := range []struct {
		name, in, text string
		cursor         int
	}{
		{"text", "\xf5\xc3" + e("ab"), "ab\n", 0},
		{"SBA of 12 bits", "\xf5\xc3\x11\xc1\x50" + e("x"), "\n" + "x\n", 0},
		{"SBA of 14 bits", "\xf5\xc3\x11\x00\x50" + e("x"), "\n" + "x\n", 0},
		{"IC", "\xf5\xc3" + e("ab") + "\x13", "ab\n", 2},
		{"RA", "\xf5\xc3\x3c\x00\x03" + e("-"), "---\n", 0},
		{"RA of GE", "\xf5\xc3\x3c\x00\x03\x08\xa2", "───\n", 0},
		{"hidden field", "\xf5\xc3\x1d\x4c" + e("pw") + "\x1d\x40" + e("x"), "    x\n", 0},
		{"SFE", "\xf5\xc3\x29\x02\xc0\x60\x42\xf2" + e("red"), " red\n", 0},
		{"MF hides", "\xf5\xc3\x1d\x40" + e("pw") + "\x11\x00\x00\x2c\x01\xc0\x4c", "", 0},
		{"PT", "\xf5\xc3\x1d\x60" + e("a") + "\x11\x00\x05\x1d\x40\x11\x00\x00\x05" + e("b"), " a    b\n", 0},
		{"EUA", "\xf5\xc3\x1d\x60" + e("a") + "\x1d\x40" + e("bc") + "\x11\x00\x00\x12\x00\x00", " a\n", 0},
		{"SA colors, and nothing else", "\xf5\xc3\x28\x42\xf2" + e("a") + "\x28\x00\x00" + e("b"), "ab\n", 0},
		{"EWA of a model 2", "\x7e\xc3" + e("a"), "a\n", 0},
		{"outbound structured field", "\xf3\x00\x08\x40\x00\xf5\xc3\xc1\xc2", "AB\n", 0},
	} {
		s := newScreen('2')
		if _, err := s.accept([]byte(x.in)); err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if got := (view{s, page037()}).text(); got != x.text || s.cursor != x.cursor {
			t.Errorf("%s: got %q, cursor %d, want %q, %d", x.name, got, s.cursor, x.text, x.cursor)
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	for _, in := range []string{"\xf5\xc3\x11\x00", "\xf5\xc3\x1d", "\xf5\xc3\x29\x02\xc0", "\xf5\xc3\x3c\x3f\xff\x40", "\xf5\xc3\x08",
		"\x00", "\xf3\x00\x02\x01", "\xf3\x00\x09\x01"} {
		if _, err := newScreen('2').accept([]byte(in)); fetch.KindOf(err) != fetch.ErrProtocol {
			t.Errorf("%q: got %v, want kind %s", in, err, fetch.ErrProtocol)
		}
	}
}

func TestReplies(t *testing.T) {
	s := newScreen('2')
	s.accept([]byte("\xf5\xc3\x1d\x60" + e("User") + "\x1d\x40\x13\x11\x00\x10\x1d\x60"))
	v := view{s, page037()}
	for _, r := range "ann" {
		if !v.edit(key{char: r}) {
			t.Fatalf("cannot type %q", r)
		}
	}
	want := append([]byte{aidEnter, 0x40, 0x49 + 0x80, orderSBA, 0x40, 0xc6}, e("ann")...)
	if got := s.readModified(aidEnter, false); !bytes.Equal(got, want) {
		t.Errorf("Enter: got % x, want % x", got, want)
	}
	if got := s.readModified(aidPA1, false); !bytes.Equal(got, []byte{aidPA1}) {
		t.Errorf("PA1: got % x, want % x", got, aidPA1)
	}
	q, err := s.accept([]byte("\xf3\x00\x05\x01\xff\x02"))
	if err != nil || q[0] != aidSF || !bytes.Contains(q, []byte{0x81, 0x80}) || !bytes.Contains(q, []byte{0x81, 0xa6}) {
		t.Errorf("query: got % x, %v, want its replies 80 and a6", q, err)
	}
}

func TestEditing(t *testing.T) {
	for _, x := range []struct{ name, keys, want string }{
		{"typed", "abc", "abc"},
		{"backspace", "abc\x7fd", "abd"},
		{"insert", "ac\x1b[D\x1b[2~b", "abc"},
		{"delete", "abc\x1b[H\x1b[3~", "bc"},
		{"erase to the end", "abc\x1b[D\x1b[D\x05", "a"},
		{"erase input", "abc\x15x", "x"},
		{"the field is full: the next one", "abcdefghij" + "z", "abcdefghij"},
		{"end", "ab\x1b[H\x1b[Fc", "abc"},
		{"backtab", "ab\x1b[Zc", "cb"},
		{"CR LF does nothing on this screen", "a\r\nb", "ab"},
		{"CR LF in two parts", "a\r|\nb", "ab"},
		{"LF", "a\r|\n|\nb", "b"},
	} {
		s := newScreen('2')
		s.accept([]byte("\xf5\xc3\x1d\x40\x13\x11\x00\x0b\x1d\xf0\x1d\x40\x11\x00\x20\x1d\x60"))
		v, k := view{s, page037()}, keyboard{}
		for part := range strings.SplitSeq(x.keys, "|") { // as they arrive
			k.pending = append(k.pending, part...)
			for key, ok := k.next(); ok; key, ok = k.next() {
				v.edit(key)
			}
		}
		if got := v.entry(s.fields()[0]).Title; got != x.want {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
	}
}

func TestCodePages(t *testing.T) {
	for _, x := range []struct {
		page string
		in   byte
		want rune
	}{{"037", 0xba, '['}, {"500", 0x4a, '['}, {"273", 0xc0, 'ä'}, {"273", 0xa1, 'ß'}, {"1047", 0xad, '['}, {"1140", 0x9f, '€'},
		{"037", 0x00, ' '}, {"037", 0x15, ' '}} {
		p := pageOf(&fetch.Options{Set: map[string][]string{setPage: {x.page}}})
		if p.rune(x.in) != x.want {
			t.Errorf("%s %#x: got %q, want %q", x.page, x.in, p.rune(x.in), x.want)
		}
		if b, ok := p.octet(x.want); x.want != ' ' && (!ok || b != x.in) {
			t.Errorf("%s: got %#x for %q, want %#x", x.page, b, x.want, x.in)
		}
	}
}

// FuzzStream checks that for any input of host and user the screen keeps its size and its cursor, replies are bounded, and the visible text
// contains no control characters.
func FuzzStream(f *testing.F) {
	f.Add([]byte("\xf5\xc3\x1d\x60\xc1\x1d\x40\x13\x11\x00\x10\x1d\x60"), []byte("ab\t\x1b[3~"))
	f.Add([]byte("\x7e\xc3\x3c\x00\x03\x08\xa2\x29\x02\xc0\x60\x42\xf2\x05\x12\x40\x40"), []byte("\x1b[2~x\x7f"))
	f.Add([]byte("\xf3\x00\x05\x01\xff\x02\x00\x08\x40\x00\xf5\xc3\xc1\xc2"), []byte("\x1b[Z\x1b[F\x05\x15"))
	f.Fuzz(func(t *testing.T, in, typed []byte) {
		s := newScreen('5')
		v := view{s, page037()}
		for _, record := range bytes.Split(in, []byte("\xff\xef")) {
			reply, _ := s.accept(record)
			k := keyboard{pending: bytes.Clone(typed)}
			for {
				key, ok := k.next()
				if !ok {
					break
				}
				if key.aid == 0 {
					v.edit(key)
				}
			}
			sent := s.readModified(aidEnter, true)
			if n := len(s.cells); n != s.rows*s.cols || s.cursor < 0 || s.cursor >= n || len(reply) > 4*n+1024 || len(sent) > 4*n+16 {
				t.Fatalf("%d cells of %d x %d, cursor %d, %d and %d bytes to send", n, s.rows, s.cols, s.cursor, len(reply), len(sent))
			}
			if strings.ContainsFunc(v.text(), func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 }) {
				t.Fatalf("got %q, want no control characters", v.text())
			}
			v.ansi(28)
			for range v.entries(strings.NewReader("")) {
			}
		}
	})
}

// TestBinaryRecords: TN3270E implies binary data, so a NUL after 0D is part of a record. Here it is the address of an SBA, the position 0D00.
func TestBinaryRecords(t *testing.T) {
	h := &host{Host: &nvt.Host{}, view: view{screen: newScreen('2'), page: page037()}}
	h.Stream = nvt.New(h)
	h.begin(true)
	const in = "\x00\x00\x00\x00\x00\xf1\x00\x11\x0d\x00"
	if err := h.Stream.Receive([]byte(in)); err != nil || string(h.record) != in {
		t.Errorf("got the record %q, %v, want %q", h.record, err, in)
	}
}

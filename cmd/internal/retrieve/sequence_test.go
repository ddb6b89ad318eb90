package retrieve

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/batch"
)

// testSequence returns a sequence with small limits that writes to a file.
func testSequence(t *testing.T) (o *sequence, written func() string) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	t.Setenv("TMPDIR", t.TempDir())
	o = newSequence(t.Context(), f, func(*batch.Item) bool { return true })
	o.maxMemory, o.maxFiles = 10, 20
	return o, func() string {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

// TestSequenceIsBounded checks that waiting documents use memory up to a limit, then files up to another limit. A document that exceeds
// both is postponed. At the end, nothing is held.
func TestSequenceIsBounded(t *testing.T) {
	o, written := testSequence(t)
	o.Turn(0)
	write := func(n int64, text string) error {
		_, err := io.WriteString(o.slot(n), text)
		return err
	}
	for _, w := range []struct {
		number       int64
		text         string
		memory, file int64 // held afterwards
		full         bool
		over         bool
	}{
		{1, "11111", 5, 0, false, false},
		{2, "22222", 10, 0, true, false},
		{0, "00000", 10, 0, true, false}, // item 0 has its turn
		{2, "2222222222", 10, 10, true, false},
		{3, "3333333", 10, 17, true, false},
		{3, "3333", 10, 17, true, true},
	} {
		if err := write(w.number, w.text); (err != nil) != w.over {
			t.Errorf("item %d, %q: got %v, want an error: %v", w.number, w.text, err, w.over)
		}
		if m, f := o.memory.Load(), o.files.Load(); m != w.memory || f != w.file || o.Full() != w.full {
			t.Errorf("after %q: got %d bytes in memory and %d in files, full: %v; want %d, %d, %v",
				w.text, m, f, o.Full(), w.memory, w.file, w.full)
		}
	}
	if !o.slot(3).postponed() || o.slot(3).began() || o.slot(2).postponed() {
		t.Errorf("got item 3 postponed %v, begun %v; item 2 postponed %v; want true, false, false",
			o.slot(3).postponed(), o.slot(3).began(), o.slot(2).postponed())
	}
	for n := range int64(3) {
		if err := o.Turn(n + 1); err != nil {
			t.Errorf("turn of %d: got %v, want no error", n+1, err)
		}
	}
	if err := write(3, "33333333333"); err != nil {
		t.Error(err)
	}
	if got, want := written(), "00000"+"11111"+"222222222222222"+"33333333333"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m, f := o.memory.Load(), o.files.Load(); m != 0 || f != 0 {
		t.Errorf("at the end: got %d bytes in memory and %d in files, want 0 and 0", m, f)
	}
}

// TestSequenceWithoutFiles checks that a document for which there is no temporary file is postponed.
func TestSequenceWithoutFiles(t *testing.T) {
	o, written := testSequence(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", os.Getenv("TMPDIR")) // Windows
	o.Turn(0)
	for _, text := range []string{"1", "11111111111"} {
		io.WriteString(o.slot(1), text)
	}
	if m, f := o.memory.Load(), o.files.Load(); !o.slot(1).postponed() || o.slot(1).began() || m != 1 || f != 0 {
		t.Errorf("got %d bytes in memory and %d in files, postponed %v, begun %v; want 1, 0, true, false", m, f, o.slot(1).postponed(), o.slot(1).began())
	}
	o.Turn(1)
	io.WriteString(o.slot(1), "111111111111")
	if got, want := written(), "111111111111"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSequenceDropsWhatWaits checks that nothing is held or written if the run ends early.
func TestSequenceDropsWhatWaits(t *testing.T) {
	o, written := testSequence(t)
	o.Turn(0)
	for n := range int64(3) {
		io.WriteString(o.slot(n+1), "12345678")
	}
	o.close()
	if m, f := o.memory.Load(), o.files.Load(); m != 0 || f != 0 || written() != "" {
		t.Errorf("got %d bytes in memory, %d in files, %q written; want nothing", m, f, written())
	}
}

package schemes_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// answering accepts connections, and calls answer for the first line of each.
func answering(t testing.TB, answer func(w io.Writer)) string {
	t.Helper()
	return loopback.ForTest(t, func(nc net.Conn) {
		in := bufio.NewReader(nc)
		for line := ""; line != "\r\n"; { // a request of http has a header
			var err error
			if line, err = in.ReadString('\n'); err != nil {
				return
			}
			if !strings.Contains(line, "HTTP/1.1") && !strings.Contains(line, ": ") {
				break
			}
		}
		answer(nc)
	})
}

// BenchmarkSize fetches documents of 1 KiB to 1 GiB into a file: time grows with the size, allocations do not. DEREF_BENCH_SIZE=4GiB
// adds one of 4 GiB.
func BenchmarkSize(b *testing.B) {
	sizes := []int64{1 << 10, 32 << 10, 1 << 20, 32 << 20, 1 << 30}
	if os.Getenv("DEREF_BENCH_SIZE") == "4GiB" {
		sizes = append(sizes, 4<<30)
	}
	block := strings.NewReader(strings.Repeat("0123456789abcde\n", 64<<10))
	zeros := make([]byte, block.Len())
	io.ReadFull(block, zeros)
	for _, size := range sizes {
		text := func(w io.Writer) {
			for left := size; left > 0; left -= int64(len(zeros)) {
				w.Write(zeros[:min(left, int64(len(zeros)))])
			}
		}
		web := answering(b, func(w io.Writer) { fmt.Fprintf(w, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size); text(w) })
		gopher := answering(b, text)
		for _, in := range []string{"http://" + web + "/x", "gopher://" + gopher + "/9/x"} {
			u := uri.MustParse(in)
			b.Run(fmt.Sprintf("%s/%dKiB", u.Scheme(), size>>10), func(b *testing.B) {
				out, err := os.CreateTemp(b.TempDir(), "")
				if err != nil {
					b.Fatal(err)
				}
				defer out.Close()
				c := fetch.New(schemes.All(nil)...)
				defer c.Close()
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					out.Seek(0, io.SeekStart)
					d, err := c.Get(b.Context(), u, nil)
					if err != nil {
						b.Fatal(err)
					}
					if n, err := io.Copy(out, d.Body); err != nil || n != size {
						b.Fatal(n, err)
					}
					d.Body.Close()
				}
			})
		}
	}
}

// TestAMillionEntriesAreNotHeld: the entries of a listing of a million lines stream from the socket to the caller.
func TestAMillionEntriesAreNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("its listings are long")
	}
	const line = "0Document of this menu\t/folder/document.txt\tgopher.example.org\t70\r\n"
	at := answering(t, func(w io.Writer) { io.Copy(w, fetchtest.RepeatLine(1_000_000, line)); io.WriteString(w, ".\r\n") })
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	n := 0
	held := fetchtest.HeapGrowth(func(sample func()) {
		for _, err := range c.Entries(t.Context(), uri.MustParse("gopher://"+at+"/1/"), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n%200_000 == 0 {
				sample()
			}
		}
	})
	if n != 1_000_000 || held > 1<<20 {
		t.Errorf("%d entries, %d octets held", n, held)
	}
}

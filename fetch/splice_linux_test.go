package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/uri"
)

// readSoFar returns how many bytes this process has read from files and sockets, without those that splice(2) moved.
func readSoFar(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip("the system does not count what a process reads: ", err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return n
}

// TestSplicedOctetsPassByThisProcess: a long body goes from the socket into the file without passing through this process, unless there is
// a trace or a recorder.
func TestSplicedOctetsPassByThisProcess(t *testing.T) {
	data := noise(4 << 20)
	u := serveOctets(t, data)
	c := New(bulk(nil))
	for _, tt := range []struct {
		name    string
		o       *Options
		through bool
	}{
		{"nobody watches", nil, false},
		{"a trace", &Options{Trace: func(Event) {}}, true},
	} {
		w, got := fileSink(t)()
		d := mustGet(t.Context(), t, c, u, tt.o)
		before := readSoFar(t)
		n, err := io.Copy(w, d.Body)
		through := readSoFar(t) - before
		d.Body.Close()
		if err != nil || n != int64(len(data)) || string(got()) != string(data) {
			t.Errorf("%s: %d octets, %v", tt.name, n, err)
		}
		if seen := through >= int64(len(data)); seen != tt.through || !seen && through > 1<<20 {
			t.Errorf("%s: %d of %d octets were read", tt.name, through, n)
		}
	}
}

// TestSpliceEnds: whatever ends a request also ends splicing, and the bytes received until then are kept.
func TestSpliceEnds(t *testing.T) {
	t.Parallel()
	const sent = 2 << 20
	for _, tt := range []struct {
		name     string
		timeouts Timeouts
		end      func(net.Conn, context.CancelFunc) // as soon as all of it is there
		want     error
	}{
		{"cancelled", Timeouts{}, func(_ net.Conn, cancel context.CancelFunc) { cancel() }, context.Canceled},
		{"silence", Timeouts{Idle: 50 * time.Millisecond}, nil, ErrTimeout},
		{"the total time", Timeouts{Total: 100 * time.Millisecond}, nil, ErrTimeout},
		{"reset", Timeouts{}, func(c net.Conn, _ context.CancelFunc) { c.(*net.TCPConn).SetLinger(0); c.Close() }, ErrTruncated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for times := time.Duration(1); ; times *= 2 {
				c := New(bulk(nil))
				c.Timeouts = Timeouts{Idle: times * tt.timeouts.Idle, Total: times * tt.timeouts.Total}
				text, err := spliceUntilEnd(t, c, noise(sent), tt.end)
				if !errors.Is(err, tt.want) {
					t.Errorf("got %v after %d octets, want %v", err, len(text), tt.want)
				}
				if len(text) >= sent/2 {
					return
				}
				if tt.timeouts == (Timeouts{}) {
					t.Fatalf("got %d octets, want at least half of %d", len(text), sent)
				} // otherwise the machine was too busy
			}
		})
	}
}

// spliceUntilEnd copies data into a file. The server calls end when all of it is there. It returns the contents of the file, and why the copy has
// ended.
func spliceUntilEnd(t *testing.T, c *Client, data []byte, end func(net.Conn, context.CancelFunc)) (text []byte, err error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w, got := fileSink(t)()
	u := serveThen(t, data, func(nc net.Conn) {
		if end == nil {
			return
		}
		loopback.Until(t, "all octets in the file", func() bool {
			info, err := w.(*os.File).Stat()
			return err != nil || info.Size() == int64(len(data))
		})
		end(nc, cancel)
	})
	d, err := c.Get(ctx, u, nil)
	if err != nil {
		return nil, err
	}
	defer d.Body.Close()
	n, err := io.Copy(w, d.Body)
	if text = got(); n != int64(len(text)) || string(text) != string(data[:len(text)]) {
		t.Errorf("%d octets are said to have come, the file holds %d", n, len(text))
	}
	return text, err
}

// TestSpliceIntoAPipeThatNobodyReads: waiting for the reader ends with the request, too.
func TestSpliceIntoAPipeThatNobodyReads(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills the buffers of a connection")
	}
	t.Parallel()
	c := New(bulk(nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	conn, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	// F_SETPIPE_SZ, to hold the bytes that are copied before splicing begins
	conn.Control(func(fd uintptr) { syscall.Syscall(syscall.SYS_FCNTL, fd, 1031, 1<<20) })
	data := make([]byte, 32<<20)
	u := serveThen(t, data, func(nc net.Conn) {
		for range 8 { // a system may buffer 32 MiB for a connection (net.ipv4.tcp_rmem), but not all of this
			if _, err := nc.Write(data); err != nil {
				return
			}
		}
		t.Error("all was sent, and nobody has read")
	})
	d := mustGet(ctx, t, c, u, nil)
	defer d.Body.Close()
	go func() {
		loopback.Pause(300 * time.Millisecond)
		cancel()
	}()
	if n, err := io.Copy(w, d.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("%d octets, %v", n, err)
	}
}

// serveThen sends data to one client, calls then if all of it was sent, and leaves the connection open.
func serveThen(t *testing.T, data []byte, then func(net.Conn)) uri.URI {
	t.Helper()
	return uri.MustParse("bulk://" + loopback.ForTest(t, func(nc net.Conn) {
		if _, err := nc.Write(data); err == nil {
			then(nc)
		}
		io.Copy(io.Discard, nc) // until the client closes the connection
	}) + "/")
}

// TestSpliceNamesTheFile: the error names the file that cannot be written, not the system call.
func TestSpliceNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a file system of our own needs more rights: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	f, err := os.Create(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := New(bulk(nil))
	d := mustGet(t.Context(), t, c, serveOctets(t, noise(4<<20)), nil)
	defer d.Body.Close()
	_, err = io.Copy(f, d.Body)
	if want := "write " + f.Name() + ": no space left on device"; err == nil || err.Error() != want || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want %s", err, want)
	}
}

//go:build linux

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The user sees the progress, and Ctrl-C ends the retrieval: the file under its final name is unchanged, and the received part is kept.
func TestCtrlCOnATerminal(t *testing.T) {
	t.Parallel()
	more := make(chan bool)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.Header().Set("ETag", `"1"`)
		io.WriteString(w, strings.Repeat("x", 50000))
		w.(http.Flusher).Flush()
		<-more
	}))
	defer srv.Close()
	defer close(more)
	file := write(t, filepath.Join(t.TempDir(), "doc"), "old")
	x := onNewTerminal(t, "-o", file, srv.URL)
	x.wait(t, "50% 48.8 KiB of 97.7 KiB")
	x.types("\x03")
	x.wait(t, "deref: interrupted")
	x.ends(t, 130)
	if b, err := os.ReadFile(file); string(b) != "old" {
		t.Errorf("the file is %q, %v, want \"old\"", b, err)
	}
	if b, err := os.ReadFile(file + ".part"); len(b) != 50000 {
		t.Errorf("the partial file has %d bytes, %v, want the 50000 that arrived", len(b), err)
	}
}

// The name in a prompt cannot control the terminal, and a signal gives the terminal its echo back.
func TestSignalsAtAPrompt(t *testing.T) {
	for want, end := range map[int]func(*terminal){
		130: func(x *terminal) { x.types("\x03") },
		143: func(x *terminal) { x.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		x := onNewTerminal(t, "-u", "ann\x1b]0;owned\x07", "data:,x")
		x.wait(t, `Password for ann\x1b]0;owned\x07: `)
		end(x)
		x.wait(t, "deref: interrupted")
		x.ends(t, want)
	}
}

// Bytes from a server cannot control the terminal, and images are not written to it.
func TestPromise9TerminalIsNotDriven(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/text":
			w.Header().Set("X-Evil", "\x9b31m")
			io.WriteString(w, "title \x1b]0;owned\x07 end\n")
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("X-Evil", "\u009b31m")
			io.WriteString(w, "<a href=\"a\u009b31m\">t\u009b31m&#127;</a>")
		case "/picture":
			io.WriteString(w, "GIF89a\x00\x01\xff\xfe")
		default:
			w.WriteHeader(404)
		}
	}))
	defer srv.Close()
	archive := filepath.Join(t.TempDir(), "a.warc")
	if b, err := derefCommand(t)("--warc", archive, "-o", os.DevNull, srv.URL+"/text").CombinedOutput(); err != nil {
		t.Fatalf("got %v, want success: %s", err, b)
	}
	for _, c := range []struct {
		name, want string
		args       []string
		code       int
	}{
		{"a document", `title \x1b]0;owned\x07 end`, []string{srv.URL + "/text"}, 0},
		{"a header", `X-Evil: \x9b31m`, []string{"-i", srv.URL + "/text"}, 0},
		{"a document as it came", `title \x1b]0;owned\x07 end`, []string{"--format", "raw", srv.URL + "/text"}, 0},
		{"a link", `"title":"t\u009b31m\x7f"`, []string{"--links", "--json", srv.URL + "/page"}, 0},
		{"a result", `"X-Evil":["\u009b31m"]`, []string{"--json", srv.URL + "/page"}, 0},
		{"what was asked for", "\x1b[1m200\r end", []string{"-w", "\x1b[1m%{status}\r end", "-o", os.DevNull, srv.URL + "/page"}, 0},
		{"checked links", `"text":"t\u009b31m\x7f"`, []string{"check", "--json", "-s", srv.URL + "/page"}, 7},
		{"an archive", `title \x1b]0;owned\x07 end`, []string{"warc", "cat", archive}, 0},
		{"a picture as it came", "deref: ", []string{"--format", "raw", srv.URL + "/picture"}, 4},
		{"a picture", "deref: ", []string{srv.URL + "/picture"}, 4},
		{"the conversation", "\x1b[36mC: GET /none HTTP/1.1\x1b[m", []string{"-v", srv.URL + "/none"}, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := onNewTerminal(t, c.args...)
			x.wait(t, c.want)
			x.ends(t, c.code)
			if s := x.String(); strings.Contains(s, "\x1b]") || strings.Contains(s, "\x9b") || strings.Contains(s, "\x7f") || strings.ContainsAny(s, "\x07\x00") {
				t.Errorf("got %q, want no control characters", s)
			}
		})
	}
}

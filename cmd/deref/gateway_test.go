package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// startGateway runs the gateway with the given arguments and returns its URLs, and the line about who can connect.
func startGateway(t *testing.T, args ...string) (urls []string, who string) {
	t.Helper()
	cmd := derefCommand(t)(append([]string{"gateway", "--log", "none"}, args...)...)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	t.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	b := bufio.NewReader(out)
	line, err := b.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	who, err = b.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`http://\S+/`).FindAllString(line, -1), who
}

// pageAt returns the document at a URL of the gateway, and its status.
func pageAt(t *testing.T, url string) (page string, status int) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(b), resp.StatusCode
}

// A gateway with the sample site reaches the ports of its servers and no other port of this machine, under any name (promise 4).
func TestPromise4DemoIsNotLoopback(t *testing.T) {
	t.Parallel()
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	same, err := net.ListenPacket("udp", other.Listener.Addr().String()) // else a sample server may have this port of UDP
	if err != nil {
		t.Skip(err)
	}
	defer same.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(other.URL, "http://"))
	urls, _ := startGateway(t, "--demo", "127.0.0.1:0")
	start, _ := pageAt(t, urls[0])
	link := regexp.MustCompile(`<a href="(/[a-z][a-z0-9]*/[^"]*)"`)
	samples := link.FindAllStringSubmatch(start, -1)
	if len(samples) < 37 {
		t.Fatalf("got %d samples, want at least 37: %s", len(samples), start)
	}
	t.Run("samples", func(t *testing.T) {
		for _, s := range samples {
			t.Run(s[1], func(t *testing.T) {
				t.Parallel() // some wait for the screen of a session
				talk, _ := pageAt(t, urls[0]+"-/conversation"+s[1])
				page, status := pageAt(t, strings.TrimSuffix(urls[0], "/")+s[1])
				if status != 200 {
					t.Errorf("got %d, want 200", status)
				}
				if scheme := strings.Split(s[1], "/")[1]; !strings.Contains(start, "/-/explain/"+scheme+"/") {
					t.Errorf("%s: got no specification and plan on the start page", scheme)
				}
				if !strings.Contains(talk, `<div class="c">`) || strings.Contains(talk, "Only its first") {
					t.Errorf("got\n%s\nwant a page with what the client sends, to its end", talk)
				}
				if strings.HasPrefix(page, "<!DOCTYPE html>") && !strings.Contains(page, "<summary>How was this fetched?</summary>") {
					t.Error("got a page without its conversation")
				}
			})
		}
	})
	for _, path := range []string{"http/127.0.0.1:" + port + "/", "http/localhost:" + port + "/", "http/[::ffff:127.0.0.1]:" + port + "/",
		"http/127.0.0.2:" + port + "/", "http/0.0.0.0:" + port + "/",
		"gopher/127.0.0.1:" + port + "/0/x", "snmp/127.0.0.1:" + port + "//1.3", "-/raw/http/127.0.0.1:" + port + "/",
		"http/[64:ff9b::127.0.0.1]:" + port + "/", "telnet/9.9.9.9/", "rlogin/9.9.9.9/", "tn3270/9.9.9.9/"} {
		if _, got := pageAt(t, urls[0]+path); got != 403 {
			t.Errorf("%s: %d, want 403", path, got)
		}
	}
	if asked {
		t.Error("got a request at another server on loopback, want none")
	}
}

// The URLs that the command prints work, also if it listens on all addresses, and one line reports who can connect.
func TestGatewayAnnouncement(t *testing.T) {
	for _, tt := range []struct {
		args []string
		who  string
	}{
		{[]string{"127.0.0.1:0"}, "only programs on this machine"},
		{[]string{"--allow-remote", "0.0.0.0:0"}, "everyone"},
		{[]string{"--allow-remote", ":0"}, "everyone"},
	} {
		urls, who := startGateway(t, tt.args...)
		if len(urls) == 0 || !strings.Contains(who, tt.who) {
			t.Errorf("%q: got URLs %q and %q, want a URL and %q", tt.args, urls, who, tt.who)
		}
		for _, u := range urls {
			if _, status := pageAt(t, u); strings.Contains(u, "0.0.0.0") || strings.Contains(u, "[::]") || status != 200 {
				t.Errorf("%q: got URL %s with status %d, want one of the gateway", tt.args, u, status)
			}
		}
	}
}

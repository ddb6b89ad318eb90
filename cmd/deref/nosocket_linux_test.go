package main

import (
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"example.org/deref/cmd/internal/testservers"
)

// A replay opens no socket of any kind, whatever the scheme, also of an edited recording: the kernel kills a process that calls socket(2).
func TestReplayOpensNoSocket(t *testing.T) {
	long(t, "it runs every scheme twice")
	list, sights, stop := startServers(t)
	t.Cleanup(stop)
	dir := t.TempDir()
	lines := []string{"--mail " + testservers.URLOf(list, "imap") + " mid:plain.1@site.example"}
	for _, s := range sights {
		lines = append(lines, "--tofu"+briefSilence+s.URI)
	}
	var index strings.Builder
	for i, line := range lines {
		name := filepath.Join(dir, string(rune('a'+i/26))+string(rune('a'+i%26)))
		_, errs, _ := invoked(t, input{home: dir}, append([]string{"--record", name}, strings.Fields(line)...)...)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("%s: %v, %s", line, err, errs)
		}
		os.WriteFile(name, text, 0o600)
		os.WriteFile(name+"-edited", []byte(strings.ReplaceAll(string(text), "S: 2", "S: 5")), 0o600)
		index.WriteString(name + " " + line + "\n" + name + "-edited " + line + "\n")
	}
	os.WriteFile(filepath.Join(dir, "index"), []byte(index.String()), 0o600)
	for _, x := range []struct {
		dir  string
		dies bool
	}{{dir, false}, {"control", true}} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoSocketChild$", "-test.v", "no-socket", x.dir)
		cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // a process that is killed leaves its temporary files
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "seccomp(2) is not allowed") {
			t.Skipf("%s", out)
		}
		var exit *exec.ExitError
		died := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGSYS
		if died != x.dies || !x.dies && err != nil {
			t.Errorf("%s: got %v, want death by SIGSYS: %v\n%s", x.dir, err, x.dies, out)
		}
	}
}

// TestNoSocketChild is the process that TestReplayOpensNoSocket starts. It replays the recordings of a directory. As a control of the test it opens a
// socket instead.
func TestNoSocketChild(t *testing.T) {
	if flag.Arg(0) != "no-socket" {
		t.Skip("only TestReplayOpensNoSocket runs it")
	}
	dir := flag.Arg(1)
	if err := forbidSockets(); err != nil {
		t.Skip(err)
	}
	if dir == "control" {
		net.Dial("udp", "127.0.0.1:9")
		return
	}
	n := 0
	for line := range strings.Lines(contents(t, filepath.Join(dir, "index"))) {
		words := strings.Fields(line)
		out, errs, code := invoked(t, input{}, append([]string{"--replay", words[0]}, words[1:]...)...)
		if edited := strings.HasSuffix(words[0], "-edited"); !edited && (code != 0 && code != 13 || len(out) == 0) {
			t.Errorf("%s: got exit status %d and %d bytes, want the document: %s", line, code, len(out), errs)
		}
		n++
	}
	if n < 40 {
		t.Errorf("got %d replays, want at least 40", n)
	}
}

// forbidSockets makes the kernel kill this process when any of its threads calls socket(2): seccomp(2).
func forbidSockets() error {
	call := uint32(unix.SYS_SOCKET)
	switch runtime.GOARCH {
	case "amd64", "arm64":
	case "386":
		call = 102 // socketcall(2), by which package syscall calls all functions of sockets
	default:
		return errors.New("seccomp(2) is not allowed here: other systems number their calls in another way")
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // struct seccomp_data begins with the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: call},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x80000000}, // SECCOMP_RET_KILL_PROCESS
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000}, // SECCOMP_RET_ALLOW
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	const setModeFilter, threadSync = 1, 1
	if r, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, threadSync, uintptr(unsafe.Pointer(&program))); errno != 0 || r != 0 {
		return errors.New("seccomp(2) is not allowed here: " + errno.Error())
	}
	return nil
}

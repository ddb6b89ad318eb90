package lab

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// Talk runs cmd and types into it. steps are pairs of a text to wait for and the text to type then. Talk returns the output of cmd. It fails
// the test if a text does not appear before cmd ends.
func Talk(t testing.TB, cmd *exec.Cmd, steps ...string) string {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		w.Close()
		ended <- err
	}()
	var out bytes.Buffer
	buf := make([]byte, 4096)
	for from, last := 0, false; !last; {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		last = err != nil
		for len(steps) > 1 {
			i := strings.Index(out.String()[from:], steps[0])
			if i < 0 {
				break
			}
			from += i + len(steps[0])
			io.WriteString(in, steps[1])
			steps = steps[2:]
		}
	}
	in.Close()
	err = <-ended
	if len(steps) > 1 {
		t.Fatalf("%v: %v; want %q after\n%s", cmd.Args, err, steps[0], out.String())
	}
	if err != nil {
		t.Logf("%v: %v", cmd.Args, err)
	}
	return out.String()
}

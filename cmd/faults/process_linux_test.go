//go:build amd64

package faults

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"example.org/deref/cmd/command"
	"example.org/deref/fetch"
	"example.org/deref/fetch/browse"
	"example.org/deref/fetch/fetchtest"
)

// supervisedName is set in the environment of the process that is supervised.
const supervisedName = "FAULTS_SUPERVISED"

func TestMain(m *testing.M) {
	if os.Getenv(supervisedName) != "" {
		obey()
		return
	}
	fetchtest.Overlap()
	os.Exit(m.Run())
}

// An order is a command line for the supervised process.
type order struct {
	Dir   string // its working directory
	Args  []string
	Env   map[string]string
	Stdin string

	Program string   // a program to execute; otherwise this process is deref
	Visit   string   // it serves until it is interrupted: the test requests this path once it listens
	Keys    []string // to type in the browser
}

// A report is what the supervised process says about a command line.
type report struct {
	Status         int
	Stdout, Stderr string
	Left           string // goroutines and descriptors that the command line has left open
	Objects, Bytes uint64 // that were allocated
	Listens        string // it goes on: the URL where it waits for requests

	answer string // to the request
}

// obey is the supervised process. It carries out one order after the other, and reports.
func obey() {
	out := json.NewEncoder(os.Stdout)
	listener, err := supervised()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out.Encode(listener)
	in := json.NewDecoder(os.Stdin)
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			return
		}
		out.Encode(o.carryOut(func(url string) {
			out.Encode(report{Listens: url})
			in.Decode(&o)
		}))
	}
}

// carryOut carries out an order. It calls visit when a server listens, and then interrupts it.
func (o order) carryOut(visit func(url string)) (r report) {
	if err := os.Chdir(o.Dir); err != nil {
		return report{Status: -1, Stderr: err.Error()}
	}
	before, now := descriptors(), goleak.IgnoreCurrent()
	var stdout, stderr strings.Builder
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	status, err := o.run(&stdout, &stderr, visit)
	runtime.ReadMemStats(&end)
	r = report{Status: status, Stdout: stdout.String(), Stderr: stderr.String(), Objects: end.Mallocs - start.Mallocs, Bytes: end.TotalAlloc - start.TotalAlloc}
	if err != nil {
		return report{Status: -1, Stderr: err.Error()}
	}
	if err := goleak.Find(now); err != nil {
		r.Left = err.Error()
	}
	for _, d := range descriptors() {
		var fd int
		var name string
		switch fmt.Sscan(d, &fd, &name); {
		case slices.Contains(before, d):
		case name == os.DevNull: // whose close failed: see closeFor
			unix.Close(fd)
		default:
			r.Left += "descriptor " + d + "\n"
		}
	}
	return r
}

// patience is how long one command line may take. Its own limits are shorter.
const patience = time.Minute

func (o order) run(stdout, stderr io.Writer, visit func(url string)) (int, error) {
	e := command.Environment{Getenv: func(name string) string { return o.Env[name] }}
	var copying sync.WaitGroup
	in, stdin, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	e.Stdin = in
	copying.Go(func() {
		defer stdin.Close()
		io.WriteString(stdin, o.Stdin)
	})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if o.Visit != "" {
		stderr = &announcement{stderr, func(url string) {
			visit(url)
			cancel()
		}}
	}
	for stream, to := range map[**os.File]io.Writer{&e.Stdout: stdout, &e.Stderr: stderr} {
		from, w, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		*stream = w
		copying.Go(func() {
			defer from.Close()
			io.Copy(to, from)
		})
	}
	if len(o.Keys) > 0 {
		tty, done, err := openTerminal()
		if err != nil {
			return 0, err
		}
		defer done()
		e.Stdin, e.Screen = tty, typist{o.Keys}
		e.Stdout.Close()
		e.Stdout = tty
	}
	status := o.start(ctx, e)
	e.Stdout.Close()
	e.Stderr.Close()
	copying.Wait()
	return status, nil
}

// start carries out the command line, in this process or by a program.
func (o order) start(ctx context.Context, e command.Environment) int {
	if o.Program == "" {
		return command.Main(ctx, o.Args, e)
	}
	cmd := exec.CommandContext(ctx, o.Program, o.Args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Stdin, e.Stdout, e.Stderr
	for name, value := range o.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(e.Stderr, err)
	}
	return cmd.ProcessState.ExitCode()
}

// openTerminal returns a terminal that nobody looks at: pts(4).
func openTerminal() (*os.File, func(), error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err = cmp.Or(err, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		return nil, nil, err
	}
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	return tty, func() { master.Close() }, err
}

// A typist is a Screen that types keys. Its error is what the browser shows unless that is a success.
type typist struct{ keys []string }

func (y typist) Show(ctx context.Context, b *browse.Browser) error {
	b.Resize(500, 24)
	shown := ""
	for k := -1; k < len(y.keys); k++ {
		if k >= 0 {
			b.Key(browse.Key(y.keys[k]))
		}
		for b.Busy() {
			select {
			case do := <-b.Results():
				do()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		shown += b.Frame().Text()
	}
	if !strings.Contains(shown, "Added to the bookmarks.") {
		return fetch.Errorf(fetch.ErrLocal, "%s", strings.Join(strings.Fields(shown), " "))
	}
	return nil
}

func (typist) Outside(func() error) error { return errors.ErrUnsupported }

// An announcement passes on what a server prints. It calls visit with the first URL.
type announcement struct {
	io.Writer
	visit func(url string)
}

func (a *announcement) Write(p []byte) (int, error) {
	if _, rest, ok := strings.Cut(string(p), "http://"); ok && a.visit != nil {
		url, _, _ := strings.Cut(rest, " ")
		a.visit("http://" + url)
		a.visit = nil
	}
	return a.Writer.Write(p)
}

// descriptors lists the open descriptors with what they are.
func descriptors() (list []string) {
	names, _ := filepath.Glob("/proc/self/fd/*")
	for _, name := range names {
		to, err := os.Readlink(name)
		if err == nil && !strings.HasPrefix(to, "anon_inode:") {
			list = append(list, filepath.Base(name)+" "+to)
		}
	}
	return list
}

// A process is the supervised one, seen from outside.
type process struct {
	cmd *exec.Cmd
	in  *json.Encoder
	out *json.Decoder
	*supervisor
	temp string // its directory of temporary files
}

// start starts the supervised process. It ends with the test.
func start(t *testing.T) *process {
	t.Helper()
	p := &process{temp: t.TempDir()}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), supervisedName+"=1", "TMPDIR="+p.temp, "GODEBUG=asyncpreemptoff=1")
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} // prints its goroutines if the tests time out
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in, p.out = json.NewEncoder(in), json.NewDecoder(out)
	t.Cleanup(func() {
		in.Close()
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	var theirs int
	if err := p.out.Decode(&theirs); err != nil {
		t.Skipf("the kernel does not let a process supervise another: %v", err)
	}
	handle, err := unix.PidfdOpen(p.cmd.Process.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := unix.PidfdGetfd(handle, theirs, 0)
	if errors.Is(err, syscall.EPERM) {
		unix.Close(handle)
		t.Skipf("no permission to supervise a process: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.supervisor = &supervisor{process: p.cmd.Process.Pid, handle: handle, listener: listener, kinds: kinds()}
	go p.serve()
	return p
}

// do has o carried out with f, and returns the calls that concerned the files below o.Dir and temporary ones, or sockets.
func (p *process) do(t *testing.T, o order, f fault) (report, []call) {
	t.Helper()
	p.watch([]string{o.Dir, p.temp}, f)
	r, answer := report{Listens: "?"}, ""
	for send := o; r.Listens != ""; send = (order{}) {
		r = report{}
		if err := errors.Join(p.in.Encode(send), p.out.Decode(&r)); err != nil {
			t.Fatalf("%s with %+v: the process has ended: %v", strings.Join(o.Args, " "), f, err)
		}
		if r.Listens != "" {
			answer = visit(r.Listens + o.Visit)
		}
	}
	r.answer = answer
	return r, p.end()
}

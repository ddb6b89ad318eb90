// Command bench compares the deref program with its peers, whole process against whole process, over servers on this machine.
//
//	go run ./testdata/bench [-dir DIR] [-rounds N] [-docs N] [-run REGEXP] BINARY
//
// Each row is the median of the ratios deref/peer of interleaved runs: of the wall time, and of the processor time of the process. A peer or
// server that is not installed is skipped. On Debian: apt-get install nginx-light vsftpd proftpd-core curl wget wget2 lftp rclone tinyproxy.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	deref  string
	dir    string
	rounds int // 0: each job's own number
	docs   int // of the jobs of many documents
	run    *regexp.Regexp
}

func run(args []string, out io.Writer) error {
	var s settings
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.StringVar(&s.dir, "dir", os.TempDir(), "create all files below this `directory`; one in memory varies less")
	fs.IntVar(&s.rounds, "rounds", 0, "run each program `N` times instead of each job's own number")
	fs.IntVar(&s.docs, "docs", 20000, "`number` of small documents")
	hold := fs.Bool("hold", false, "run nothing: print the servers' addresses and wait for an interrupt")
	only := fs.String("run", "", "run only the jobs that this `regexp` matches")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var err error
	if s.run, err = regexp.Compile(*only); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return fmt.Errorf("want the binary of deref as the only argument")
	}
	if s.deref, err = filepath.Abs(fs.Arg(0)); err != nil {
		return err
	}
	l, err := newLab(s)
	if err != nil {
		return err
	}
	defer l.close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		l.close()
		os.Exit(1)
	}()
	if *hold {
		fmt.Fprintf(out, "dir %s\nhttp %s\nhttps %s\nftp %s %s %s\ngopher %s\nfar %v\n", l.root, l.http, l.https, l.ftp, l.proftpd, l.pureftpd, l.gopher, l.far)
		l.jobs() // writes the lists
		select {}
	}
	return l.compareAll(out)
}

// compareAll prints a row for each job and peer.
func (l *lab) compareAll(out io.Writer) error {
	fmt.Fprintf(out, "%s, %d processors, %s, load %s\n\n", time.Now().Format("2006-01-02 15:04"), runtime.NumCPU(), runtime.Version(), load())
	fmt.Fprintf(out, "%-18s%-12s%6s%6s %9s%9s%9s %9s%9s%9s  %s\n", "job", "peer", "wall", "cpu", "deref ms", "user", "system", "peer ms", "user", "system", "requests on connections")
	for _, j := range l.jobs() {
		if !l.run.MatchString(j.name) {
			continue
		}
		if why := j.skip; why != "" {
			fmt.Fprintf(out, "%-18sskipped: %s\n", j.name, why)
			continue
		}
		j.compare(l, out)
	}
	return nil
}

// load returns the load averages, or "unknown".
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}

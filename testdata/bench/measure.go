package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A job is what deref and its peers do.
type job struct {
	name   string
	skip   string // why it cannot run
	rounds int
	series int                 // processes of one measurement; 0 means one
	again  bool                // measure the second of two processes
	fresh  func() error        // runs before each process
	check  func() error        // reports an incomplete result
	count  func() string       // requests and connections since its last call; nil if unknown
	sides  []side              // the first is deref
	serve  func(side) measured // measures a server, which does not end by itself
}

// A side is a program with its arguments.
type side struct {
	name string
	argv []string
}

// measured is one measurement.
type measured struct {
	wall, user, system time.Duration
	err                error
}

// compare measures each side in turn, and prints the ratios of the first to each other. The first round is not counted.
func (j *job) compare(l *lab, out io.Writer) {
	rounds := j.rounds
	if l.rounds > 0 {
		rounds = l.rounds
	}
	sides := slices.DeleteFunc(slices.Clone(j.sides), func(s side) bool {
		_, err := exec.LookPath(s.argv[0])
		if err != nil {
			fmt.Fprintf(out, "%-18s%-12sskipped: not installed\n", j.name, s.name)
		}
		return err != nil
	})
	all, counts := make([][]measured, len(sides)), make([]string, len(sides))
	for round := -1; round < rounds; round++ {
		for i, s := range sides {
			m := j.measure(l, s)
			if m.err != nil {
				fmt.Fprintf(out, "%-18s%-12sFAILED: %v\n", j.name, s.name, m.err)
				return
			}
			if j.count != nil {
				counts[i] = j.count()
			}
			if round >= 0 {
				all[i] = append(all[i], m)
			}
		}
	}
	for i, s := range sides[1:] {
		ours, theirs := all[0], all[i+1]
		ratio := func(of func(measured) time.Duration) float64 {
			return median(rounds, func(n int) float64 { return float64(of(ours[n])) / float64(max(1, of(theirs[n]))) })
		}
		figures := func(all []measured) string {
			ms := func(of func(measured) time.Duration) float64 {
				return median(rounds, func(n int) float64 { return of(all[n]).Seconds() * 1000 })
			}
			return fmt.Sprintf("%9.1f%9.1f%9.1f ", ms(wall), ms(inUser), ms(inSystem))
		}
		cpu := func(m measured) time.Duration { return m.user + m.system }
		fmt.Fprintf(out, "%-18s%-12s%6.2f%6.2f %s%s %s\n", j.name, s.name, ratio(wall), ratio(cpu), figures(ours), figures(theirs),
			strings.Trim(counts[0]+" / "+counts[i+1], " /"))
	}
}

func wall(m measured) time.Duration     { return m.wall }
func inUser(m measured) time.Duration   { return m.user }
func inSystem(m measured) time.Duration { return m.system }

func median(n int, value func(int) float64) float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = value(i)
	}
	slices.Sort(all)
	return (all[n/2] + all[(n-1)/2]) / 2
}

// measure runs one side once, or as often as the job's series says.
func (j *job) measure(l *lab, s side) (total measured) {
	if j.serve != nil {
		return j.serve(s)
	}
	for range max(1, j.series) {
		if j.fresh != nil {
			if total.err = j.fresh(); total.err != nil {
				return total
			}
		}
		if j.again {
			l.process(s.argv)
		}
		if j.count != nil {
			j.count()
		}
		m := l.process(s.argv)
		total.wall += m.wall
		total.user += m.user
		total.system += m.system
		if total.err = m.err; total.err == nil && j.check != nil {
			total.err = j.check()
		}
		if total.err != nil {
			return total
		}
	}
	return total
}

// process runs a program to its end.
func (l *lab) process(argv []string) (m measured) {
	var errors bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stderr = l.out, &errors
	cmd.Env = append(os.Environ(), "HOME="+l.home, "XDG_CONFIG_HOME="+l.home, "XDG_CACHE_HOME="+l.home, "SSL_CERT_FILE="+l.roots(), "CURL_CA_BUNDLE="+l.roots())
	began := time.Now()
	err := cmd.Run()
	m.wall = time.Since(began)
	if cmd.ProcessState != nil {
		m.user, m.system = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	}
	if err != nil {
		m.err = fmt.Errorf("%s: %w: %.200s", strings.Join(argv[:min(len(argv), 4)], " "), err, errors.String())
	}
	return m
}

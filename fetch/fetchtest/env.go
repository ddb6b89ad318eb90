package fetchtest

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"example.org/deref/fetch"
)

// checkEnv: Plan does no I/O, and Run reaches the network only through Env. Both would escape the script, the Policy and the trace.
//
// There is no hook for what else a handler does. But a system call of package net or os allocates memory, and the runtime's profile of
// allocations has the stack of each. So each case runs once with every allocation in the profile, and the stacks show who has dialed. That is not
// in a bubble, where a real network connection would wait forever, so cases that take time are left out.
func checkEnv(all []*subject) error {
	var errs []error
	var handlers []string // their packages
	for _, x := range all {
		handlers = append(handlers, packageOf(runtime.FuncForPC(reflect.ValueOf(x.scheme.Plan).Pointer()).Name()))
	}
	for _, e := range profile(func() {
		for _, x := range all {
			if x.Live || x.Times > 1 || x.Err == fetch.ErrTimeout || x.script.Delays() > 0 {
				continue
			}
			x.planned()
			x.attempt().run() // its result is for the other checks
		}
	}) {
		if err := e.violation(handlers); err != nil && !slices.ContainsFunc(errs, func(other error) bool { return other.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// profiling serializes profile: the rate and the profile belong to the process.
var profiling sync.Mutex

// profile runs f and returns the stacks that have allocated memory meanwhile, also those of other goroutines.
func profile(f func()) (list []stack) {
	profiling.Lock()
	defer profiling.Unlock()
	before := allocations()
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	f()
	runtime.MemProfileRate = rate
	runtime.GC() // an allocation is in the profile after the second collection
	runtime.GC()
	for pcs, n := range allocations() {
		if n > before[pcs] {
			list = append(list, stackOf(pcs))
		}
	}
	return list
}

type pcs [32]uintptr

// allocations returns how many objects each stack has allocated so far.
func allocations() map[pcs]int64 {
	n, _ := runtime.MemProfile(nil, true)
	for {
		list := make([]runtime.MemProfileRecord, n+100)
		var ok bool
		if n, ok = runtime.MemProfile(list, true); ok {
			all := make(map[pcs]int64, n)
			for _, r := range list[:n] {
				all[r.Stack0] += r.AllocObjects
			}
			return all
		}
	}
}

// A stack is the callers of an allocation, the innermost first.
type stack []runtime.Frame

func stackOf(p pcs) (s stack) {
	n := slices.Index(p[:], 0)
	if n < 0 {
		n = len(p)
	}
	for frames, more := runtime.CallersFrames(p[:n]), n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		s = append(s, f)
	}
	return s
}

const module = "example.org/deref/fetch"

// violation returns an error if a handler has done what it must not do.
func (s stack) violation(handlers []string) error {
	own := slices.IndexFunc(s, func(f runtime.Frame) bool { return !isStandard(f) })
	if own < 1 {
		return nil
	}
	dials := slices.ContainsFunc(s[:own], func(f runtime.Frame) bool { return hasPrefix(f.Function, dialing()) })
	opens := slices.ContainsFunc(s[:own], func(f runtime.Frame) bool { return hasPrefix(f.Function, opening()) })
	who, what := s[own], s[own-1].Function
	at := fmt.Sprintf("%s (%s:%d) calls %s", who.Function, filepath.Base(who.File), who.Line, what)
	switch plans := s.has(module + ".(*Scheme).callPlan"); {
	case plans && (dials || opens):
		return fmt.Errorf("%s while planning: Plan must do no I/O; move this to Run", at)
	case dials && !strings.HasPrefix(who.Function, module+".") && !strings.HasPrefix(who.Function, module+"/dialogue.") && s.isOf(handlers, who):
		return fmt.Errorf("%s: connect by Env.Dial, Env.Packets or Env.Accept, which apply the Client's policy, limits and trace", at)
	}
	return nil
}

// isOf reports whether the stack is that of a request of a case, or of a goroutine of a handler. Tests may dial, and in the same package, and so
// may the relays of this package, whose own tests have handlers.
func (s stack) isOf(handlers []string, who runtime.Frame) bool {
	own := packageOf(who.Function)
	return s.has(module+"/fetchtest.(*attempt).fetch") ||
		slices.Contains(handlers, own) && own != module+"/fetchtest" && !strings.HasSuffix(who.File, "_test.go")
}

func (s stack) has(function string) bool {
	return slices.ContainsFunc(s, func(f runtime.Frame) bool { return f.Function == function })
}

// dialing returns the functions of package net that all dialing, listening and looking up goes through.
func dialing() []string {
	return []string{"net.(*Dialer).", "net.(*Resolver).", "net.(*ListenConfig).", "net.(*sysDialer).", "net.(*sysListener).", "net.(*netFD)."}
}

// opening returns the functions of package os that look at files, and the one that starts programs.
func opening() []string {
	return []string{"os.OpenFile", "os.openFileNolog", "os.ReadDir", "os.statNolog", "os.lstatNolog", "os/exec.(*Cmd)."}
}

func hasPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// isStandard reports whether a function belongs to the standard library. Its import paths have no dot in the first element, and its files are in
// the directory src of the Go installation.
func isStandard(f runtime.Frame) bool {
	pkg := packageOf(f.Function)
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".") && (!filepath.IsAbs(f.File) || strings.Contains(filepath.ToSlash(f.File), "/src/"+pkg+"/"))
}

// packageOf returns the import path in the name of a function.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

//go:build amd64

package faults

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// A judgment is about one run with a fault.
type judgment struct {
	*trial
	report
	calls []call
	fault fault
	got   tree // after the run
	temp  tree // the directory of temporary files
}

func (j *judgment) errorf(t *testing.T, format string, args ...any) {
	t.Helper()
	var failed []string
	for _, c := range j.calls {
		if c.failed != 0 {
			failed = append(failed, c.String())
		}
	}
	if len(failed) > 3 {
		failed = append(failed[:3], "...")
	}
	t.Errorf("call %d (%s): %v\nstatus %d\n%s"+format, append([]any{j.fault.at, strings.Join(failed, ", "), j.fault.errno, j.Status, j.Stderr}, args...)...)
}

// judge compares a run with the promises.
func (j *judgment) judge(t *testing.T) {
	t.Helper()
	if j.Left != "" {
		j.errorf(t, "left open:\n%s", j.Left)
	}
	if strings.Contains(j.Stdout+j.Stderr, secret) {
		j.errorf(t, "a secret is printed")
	}
	if strings.Contains(j.Stderr, "panic") || strings.Contains(j.Stderr, "goroutine ") {
		j.errorf(t, "a panic")
	}
	if j.report.answer != "" && j.report.answer != j.trial.answer {
		j.errorf(t, "the visitor got %q, want %q", j.report.answer, j.trial.answer)
	}
	if j.Status == j.status {
		j.judgeWhole(t, j.got)
		return
	}
	if strings.HasPrefix(j.Stderr, "deref: error: ") {
		j.errorf(t, "the error has no kind")
	}
	if j.Stdout+j.Stderr == "" {
		j.errorf(t, "no message")
	}
	if !strings.Contains(strings.ToLower(j.Stdout+j.Stderr), strings.ToLower(j.fault.errno.Error())) && !j.isAboutMkdir() {
		j.errorf(t, "the message does not give the reason %q", j.fault.errno)
	}
	for name, text := range j.got {
		old, was := j.old[name]
		new, will := j.new[name]
		switch {
		case was && text == old, will && text == new:
		case isOne(name, j.varies), isPart(name), isOne(name, j.made):
		case was || will:
			j.errorf(t, "%s is neither the old file nor the new one: %d bytes", name, len(text))
		case !j.mayStay(name):
			j.errorf(t, "%s is left over", name)
		}
	}
	for name := range j.old {
		if _, kept := j.got[name]; !kept {
			if _, will := j.new[name]; will && !isOne(name, j.varies) {
				j.errorf(t, "%s is gone", name)
			}
		}
	}
	for name := range j.temp {
		if !j.cannotRemove() {
			j.errorf(t, "the temporary file %s is left over", name)
		}
	}
}

// mayStay reports whether a file may stay after a failure: the message names it, or the fault did not let it be removed.
func (j *judgment) mayStay(name string) bool {
	return strings.HasSuffix(name, "/") || j.cannotRemove() || strings.Contains(j.Stderr, path.Base(name))
}

// isAboutMkdir reports whether the fault is a stat that os.MkdirAll makes after mkdir has said that there is a file. It returns the error of mkdir.
func (j *judgment) isAboutMkdir() bool {
	return strings.Contains(j.Stderr, "mkdir") && slices.ContainsFunc(j.calls, func(c call) bool { return c.failed != 0 && c.name == "stat" })
}

// isPart reports whether name is that of a part of a document, or of its state.
func isPart(name string) bool {
	return strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".part.json")
}

// cannotRemove reports whether a file could not be removed because of the fault.
func (j *judgment) cannotRemove() bool {
	return slices.ContainsFunc(j.calls, func(c call) bool { return c.failed != 0 && c.name == "unlink" })
}

func (j *judgment) judgeWhole(t *testing.T, got tree) {
	t.Helper()
	for name, text := range j.new {
		switch is, ok := got[name]; {
		case !ok && !isOne(name, j.varies):
			j.errorf(t, "success without %s", name)
		case is != text && !isOne(name, j.varies):
			j.errorf(t, "success, but %s has %d bytes that differ from the %d of the document", name, len(is), len(text))
		}
	}
	for name := range got {
		if _, ok := j.new[name]; !ok && !isOne(name, j.varies) && !j.cannotRemove() {
			j.errorf(t, "success, but %s is left over", name)
		}
	}
}

// judgeAgain judges a second run, without a fault.
func (j *judgment) judgeAgain(t *testing.T, again report, got tree) {
	t.Helper()
	if again.Status != j.trial.status {
		j.errorf(t, "the second run: status %d\n%s%s", again.Status, again.Stderr, again.Left)
		return
	}
	j.judgeWhole(t, got)
}

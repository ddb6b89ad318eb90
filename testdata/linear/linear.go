// Package linear runs fuzz targets on long inputs, and fails where eight times the input takes far more than eight times the time.
//
// The script .ci/linear compiles every fuzz target of the module against F instead of testing.F, so each new target is measured without another
// list. It is not part of go test, whose result must not depend on time.
package linear

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	longest = 512 << 10
	grows   = 8                      // how many times as long the next input is
	most    = 2 * grows              // how many times as much time it may take
	noise   = 250 * time.Millisecond // less cannot be compared, and does no harm
	repeats = 4                      // how often what takes too much time is measured again: the collector and page faults take some, too
	endless = time.Minute
)

// An F stands in for the testing.F of a fuzz target.
type F struct {
	testing.TB
	t     *testing.T
	seeds [][]any
	fn    reflect.Value
}

// Run runs a fuzz target.
func Run(t *testing.T, target func(*F)) { target(&F{TB: t, t: t}) }

// Add adds a seed.
func (f *F) Add(args ...any) { f.seeds = append(f.seeds, args) }

// An input is a seed in which a part of one argument is repeated.
type input struct {
	seed                 []any
	arg                  int
	before, token, after string
}

// Fuzz calls fn with inputs that repeat parts of the seeds, for as many seconds of processor time as LINEAR_SECONDS says (1).
func (f *F) Fuzz(fn any) {
	ballast := make([]byte, 512<<20) // garbage is collected when there is as much of it, not during one of two inputs
	defer runtime.KeepAlive(ballast)
	f.fn = reflect.ValueOf(fn)
	seconds, err := strconv.ParseFloat(os.Getenv("LINEAR_SECONDS"), 64)
	if err != nil {
		seconds = 1
	}
	begin := processor()
	list := f.inputs()
	for n, in := range list {
		if processor()-begin > time.Duration(seconds*float64(time.Second)) {
			f.t.Logf("%d of %d inputs", n, len(list))
			return
		}
		f.compare(in)
	}
	f.t.Logf("%d inputs", len(list))
}

// inputs returns the inputs in an order that is always the same, and begins with different ones.
func (f *F) inputs() (list []input) {
	seen := map[string]bool{}
	for _, seed := range f.seeds {
		for arg, v := range seed {
			text, ok := v.(string)
			if b, is := v.([]byte); is {
				text, ok = string(b), true
			}
			if !ok {
				continue
			}
			for _, at := range parts(text) {
				in := input{seed, arg, text[:at[0]], text[at[0]:at[1]], text[at[1]:]}
				if key := fmt.Sprint(arg, in.token); !seen[key] {
					seen[key] = true
					list = append(list, in)
					if in.before+in.after != "" {
						list = append(list, input{seed, arg, "", in.token, ""})
					}
				}
			}
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// parts returns the places of the parts of a seed: characters that are not letters, with the words next to them, words between blanks, lines, and all.
func parts(text string) (list [][2]int) {
	const special, word = `[^[:alnum:]\s]+`, `[[:alnum:]]+`
	for _, part := range []string{`[^[:alnum:]]`, special, special + word, word + special, special + word + special, `\s`, `\s+` + special, special + `\s+`, `\S+\s*`, `[^\n]*\n`, `[^\n]+`, `(?s).+`} {
		for _, at := range regexp.MustCompile(part).FindAllStringIndex(text, -1) {
			list = append(list, [2]int{at[0], at[1]})
		}
	}
	return list
}

// compare fails the test if an input takes too much time in comparison with a shorter one, each time that it is repeated. The longest has 512 KiB, unless a shorter
// one takes long already.
func (f *F) compare(in input) {
	shorter, size := f.measure(in, longest/grows/grows), longest/grows
	for tries := 0; size <= longest; {
		took := f.measure(in, size)
		switch {
		case took < noise && size < longest && took*grows*grows > noise: // if it is the square, more will be seen
			shorter, size = took, size*grows
		case took < noise || took <= most*shorter:
			return
		case tries == repeats:
			f.t.Errorf("argument %d, %d and %d bytes of %q: %v and %v\nin %.200q", in.arg, size/grows, size, in.token, shorter, took, in.before+"..."+in.after)
			return
		default:
			tries, shorter = tries+1, f.measure(in, size/grows)
		}
	}
}

// measure returns the processor time of one call.
func (f *F) measure(in input, size int) time.Duration {
	text := in.before + strings.Repeat(in.token, max(1, size/len(in.token))) + in.after
	args := []reflect.Value{{}}
	for _, v := range in.seed {
		args = append(args, reflect.ValueOf(v))
	}
	args[in.arg+1] = reflect.ValueOf(text).Convert(args[in.arg+1].Type())
	stuck := time.AfterFunc(endless, func() {
		panic(fmt.Sprintf("%s: argument %d, %d bytes of %q do not end in %v", f.Name(), in.arg, size, in.token, endless))
	})
	defer stuck.Stop()
	runtime.GC()
	begin := processor()
	f.t.Run("", func(t *testing.T) {
		args[0] = reflect.ValueOf(t)
		f.fn.Call(args)
	})
	return processor() - begin
}

// processor returns the time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano())
}

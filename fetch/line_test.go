package fetch_test

import (
	"context"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

// A Body may read in a goroutine of its own, and be closed at any moment, while the trace is told the rest.
func TestCloseWhileReadingLines(t *testing.T) {
	for n := range 20 {
		c := fetch.New(scheme("a", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			c, err := env.Dial(ctx, "tcp", p.Addr, nil)
			if err != nil {
				return nil, err
			}
			begun, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				for i := 0; err == nil; i++ {
					if i == n {
						close(begun)
					}
					_, err = c.ReadLine()
				}
			}()
			<-begun
			c.Close()
			<-done
			return fetch.NewDocument(nil), nil
		}}))
		play(t, c, strings.Repeat("S: a line\n", 300)+"*: [end]")
		if _, err := get(t, c, "a://h/", &fetch.Options{Trace: func(fetch.Event) {}}); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}

//go:build unix || windows

package hub_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
)

// A job of an older or a newer version is refused, and versions from before there was a format refuse that of this one.
func TestFormat(t *testing.T) {
	t.Parallel()
	c := connect(t)
	if _, err := hub.Create(t.Context(), c, "versions", &hub.JobOptions{Partitions: 2}); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), "DEREF_versions")
	if err != nil {
		t.Fatal(err)
	}
	config := s.CachedInfo().Config
	if n, ok := config.Metadata["deref-partitions"]; ok {
		t.Errorf("got deref-partitions with the value %q, want none: without it, versions that know no format do not open a job", n)
	}
	for _, other := range []string{"", "2", "3", "5"} {
		config.Metadata["deref-format"] = other
		if _, err := js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		for what, open := range map[string]func() (*hub.Job, error){
			"Open":   func() (*hub.Job, error) { return hub.Open(t.Context(), c, "versions") },
			"Create": func() (*hub.Job, error) { return hub.Create(t.Context(), c, "versions", nil) },
		} {
			if _, err := open(); fetch.KindOf(err) != fetch.ErrUnsupported || !strings.Contains(err.Error(), `format "`+other+`"`) {
				t.Errorf("%s, format %q: got %v, want %s", what, other, err, fetch.ErrUnsupported)
			}
		}
	}
}

// Of workers that create a job at the same moment, one decides what it is.
func TestCreatedAtOnce(t *testing.T) {
	t.Parallel()
	c := connect(t)
	const workers = 8
	var all sync.WaitGroup
	var abouts [workers]string
	for i := range workers {
		all.Go(func() {
			j, err := hub.Create(t.Context(), c, "races", &hub.JobOptions{About: strings.Repeat("x", i+1), Lease: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			abouts[i] = j.About()
		})
	}
	all.Wait()
	for _, about := range abouts {
		if about == "" || about != abouts[0] {
			t.Errorf("got the jobs %q, want one for all workers", abouts)
			break
		}
	}
}

//go:build unix || windows

package hub_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
	"example.org/deref/uri"
)

// All URIs of a host and port are in one partition, however they are written, also for a process that opens the job.
func TestOneHost(t *testing.T) {
	t.Parallel()
	c := connect(t)
	schemes := fetch.Registry{{Names: []string{"http"}, Rules: uri.Rules{DefaultPort: 80}}, {Names: []string{"gopher", "go4"}, Rules: uri.Rules{DefaultPort: 70}}}
	if _, err := hub.Create(t.Context(), c, "hosts", &hub.JobOptions{Partitions: 64, Schemes: schemes}); err != nil {
		t.Fatal(err)
	}
	j, err := hub.Open(t.Context(), c, "hosts")
	if err != nil {
		t.Fatal(err)
	}
	partition := func(text string) int {
		t.Helper()
		before, err := j.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if added, err := j.Add(uri.MustParse(text), nil); !added || err != nil {
			t.Fatalf("%s: got %t, %v, want it added", text, added, err)
		}
		after, err := j.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for p := range after.Partitions {
			if after.Partitions[p].Added > before.Partitions[p].Added {
				return p
			}
		}
		t.Fatalf("%s: got no partition", text)
		return 0
	}
	for _, same := range [][]string{
		{"http://h.test/", "http://h.test:80/", "http://h.test:/a", "HTTP://user@H.Test/", "http://h%2etest/1", "http://h.test./", "http://h.test:080/", "gopher://h.test:80/1"},
		{"gopher://h.test/", "gopher://h.test:70/1", "GO4://h.test/", "http://h.test:70/"},
		{"http://[::1]/", "http://[0:0:0:0:0:0:0:1]:80/"},
		{"http://127.0.0.1:8001/", "gopher://127.0.0.1:8001/", "http://[::ffff:127.0.0.1]:8001/"},
		{"http://b\u00fccher.test/", "http://xn--bcher-kva.test:80/"},
		{"other://h.test/", "other://h.test:0/", "other2://h.test/"},
	} {
		want := partition(same[0])
		for _, text := range same[1:] {
			if got := partition(text); got != want {
				t.Errorf("%s: got the partition %d, want %d, that of %s", text, got, want, same[0])
			}
		}
	}
	if a, b := partition("http://127.0.0.1:8002/"), partition("http://127.0.0.1:8003/"); a == b {
		t.Errorf("got the partition %d for two ports, want two", a)
	}
}

package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// metrics holds sums over the requests. The number of classes is bounded, since every label comes from a fixed list.
type metrics struct {
	mu       sync.Mutex
	classes  map[class]*sums
	failures map[fetch.Kind]int64
}

// A class of requests.
type class struct {
	form, scheme string
	status       int
}

type sums struct {
	requests, octets int64
	seconds          float64
}

func (m *metrics) add(c *record, scheme string, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := class{c.form, scheme, c.status}
	s := m.classes[k]
	if s == nil {
		s = &sums{}
		m.classes[k] = s
	}
	s.requests++
	s.octets += c.octets
	s.seconds += d.Seconds()
	if c.kind != "" {
		m.failures[c.kind]++
	}
}

// write writes the sums in the text format of Prometheus (version 0.0.4).
func (m *metrics) write(b *strings.Builder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(m.classes), func(a, b class) int {
		return cmp.Or(cmp.Compare(a.form, b.form), cmp.Compare(a.scheme, b.scheme), cmp.Compare(a.status, b.status))
	})
	family := func(name, help string, value func(*sums) any) {
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s counter\n", name, help, name)
		for _, k := range keys {
			fmt.Fprintf(b, "%s{form=%q,scheme=%q,code=\"%d\"} %v\n", name, k.form, k.scheme, k.status, value(m.classes[k]))
		}
	}
	family("deref_gateway_requests_total", "Requests served.", func(s *sums) any { return s.requests })
	family("deref_gateway_octets_total", "Bytes of their responses.", func(s *sums) any { return s.octets })
	family("deref_gateway_seconds_total", "Time of the requests.", func(s *sums) any { return s.seconds })
	fmt.Fprint(b, "# HELP deref_gateway_failures_total Objects that could not be fetched, by kind.\n# TYPE deref_gateway_failures_total counter\n")
	for _, k := range slices.Sorted(maps.Keys(m.failures)) {
		fmt.Fprintf(b, "deref_gateway_failures_total{kind=%q} %d\n", string(k), m.failures[k])
	}
}

// measure serves the metrics.
func (g *Gateway) measure(w http.ResponseWriter) {
	var b strings.Builder
	g.metrics.write(&b)
	fmt.Fprintf(&b, "# HELP deref_gateway_requests Requests being served.\n# TYPE deref_gateway_requests gauge\nderef_gateway_requests %d\n",
		g.limit.now())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write([]byte(b.String()))
}

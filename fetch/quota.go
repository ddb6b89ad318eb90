package fetch

import (
	"context"
	"time"

	"example.org/deref/uri"
)

// A Quota says how many more requests a server accepts until a time, by the RateLimit fields of its response. The zero Quota means that the
// response has no such fields.
type Quota struct {
	Remaining int64         // requests
	Reset     time.Duration // until there are more
}

// WithQuotas returns a context whose requests report the Quota of each response, also of those that redirect, with the URI that was requested. report
// is called concurrently.
func WithQuotas(ctx context.Context, report func(u uri.URI, q Quota)) context.Context {
	return context.WithValue(ctx, quotasKey{}, report)
}

type quotasKey struct{}

// ReportQuota is called for the response to u by a handler that has found a Quota in it. It does nothing if nobody waits for it, or there is none.
func ReportQuota(ctx context.Context, u uri.URI, q Quota) {
	if report, ok := ctx.Value(quotasKey{}).(func(uri.URI, Quota)); ok && q.Reset > 0 {
		report(u, q)
	}
}

package mail

import (
	"testing"

	"example.org/deref/fetch"
)

// TestPort465IsImplicitTLS: port 465 is for TLS from the first byte (RFC 8314 section 3.3), however the server is written.
func TestPort465IsImplicitTLS(t *testing.T) {
	for text, want := range map[string]fetch.TLSMode{"h.example:465": fetch.ImplicitTLS, "smtp://h.example:465": fetch.ImplicitTLS, "smtps://h.example": fetch.ImplicitTLS,
		"h.example": fetch.ExplicitTLS, "h.example:25": fetch.ExplicitTLS, "": fetch.ExplicitTLS} {
		server, err := parseServer(text)
		if err != nil {
			t.Fatal(err)
		}
		if addr, got := addrOf(server); got != want || want == fetch.ImplicitTLS && addr != "h.example:465" {
			t.Errorf("%q: got %s, %s, want %s", text, addr, got, want)
		}
	}
}

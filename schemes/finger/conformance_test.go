package finger

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "user", URI: "finger://finger.example/alice", Body: "Login: alice\r\nPlan:\r\nTo build a lab.\r\n",
			Type: "text/plain", End: fetch.EndClosed, Script: `
*: [connected to 127.0.0.1:79]
*: alice
C: alice
S: Login: alice
S: Plan:
S: To build a lab.
*: [end]
`},
		fetchtest.Case{Name: "everybody", URI: "finger://finger.example", Body: "Login  Name\r\nalice  Alice Lab\r\n", Script: `
C:
S: Login  Name
S: alice  Alice Lab
*: [end]
`},
		fetchtest.Case{Name: "nobody", URI: "finger://finger.example/nobody", Err: fetch.ErrNotFound, Script: `
C: nobody
S: finger: nobody: no such user.
*: [end]
`},
		fetchtest.Case{Name: "silence", URI: "finger://finger.example/alice", Err: fetch.ErrTruncated, Script: `
C: alice
*: [end]
`},
		fetchtest.Case{Name: "two lines", URI: "finger://finger.example/alice%0D%0Abob", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "forwarding", URI: "finger://finger.example/alice@other.example", Err: fetch.ErrDenied},
	)
}

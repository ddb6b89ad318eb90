package cso

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "people", URI: "cso://cso.example/lab?a*", Type: "text/plain", End: fetch.EndTerminated,
			Body: "   alias: a-lab\r\n    name: alice lab\r\n\r\n   alias: b-lab\r\n", Script: `
*: [connected to 127.0.0.1:105]
*: query lab a*
*: quit
C: query lab a*
C: quit
S: 102:There were 2 matches to your request.
S: -200:1:   alias: a-lab
S: -200:1:    name: alice lab
S: -200:2:   alias: b-lab
S: -508:2:    name: Not present in entry.
S: 200:Ok.
*: [whole]
S: 203:Bye, bye
*: [end]
`},
		fetchtest.Case{Name: "fields", URI: "cso://cso.example", Body: "alias:max 32 Indexed Lookup\r\nalias:Unique identifier\r\n", Script: `
C: fields
C: quit
S: -200:2:alias:max 32 Indexed Lookup
S: -200:2:alias:Unique identifier
S: 200:Ok.
*: [whole]
`},
		fetchtest.Case{Name: "nobody", URI: "cso://cso.example/nobody", Err: fetch.ErrNotFound, Script: `
C: query nobody
C: quit
S: 501:No matches to your query.
*: [end]
`},
		fetchtest.Case{Name: "later", URI: "cso://cso.example/alice", Err: fetch.ErrUnavailable, Script: `
C: query alice
C: quit
S: 475:Database shut down for maintenance
*: [end]
`},
	)
}

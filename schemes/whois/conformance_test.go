package whois

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Schemes(nil)[0],
		fetchtest.Case{Name: "record", URI: "whois://whois.example/example.org", Type: "text/plain", End: fetch.EndClosed,
			Body: "domain: example.org\r\nstatus: lab\r\n", Script: `
C: example.org
S: domain: example.org
S: status: lab
*: [end]
`},
		fetchtest.Case{Name: "referral", URI: "whois://whois.example/example.org", Body: "refer: whois.other.example\r\n",
			Client: func(c *fetch.Client) { c.Policy.NoFollow = true }, Script: `
C: example.org
S: refer: whois.other.example
*: [end]
`},
		fetchtest.Case{Name: "no match", URI: "whois://whois.example/nobody", Err: fetch.ErrNotFound, Script: `
C: nobody
S: % the lab's server
S: No match for "nobody".
*: [end]
`},
		fetchtest.Case{Name: "silence", URI: "whois://whois.example/x", Err: fetch.ErrTruncated, Script: `
C: x
*: [end]
`},
		fetchtest.Case{Name: "two lines", URI: "whois://whois.example/a%0D%0Ab", Err: fetch.ErrRefusedURL},
	)
}

func TestConformanceTemplates(t *testing.T) {
	fetchtest.Test(t, Schemes(nil)[1],
		fetchtest.Case{Name: "record", URI: "whois++://acm.example/name=phil", Type: "text/plain", End: fetch.EndTerminated,
			Body: "# FULL USER ACM-1 PZ01\r\n Name: Phil\r\n# END\r\n", Script: `
C: name=phil
S: % 220-acm.example ready
S: % 200 Command okay
S: # FULL USER ACM-1 PZ01
S:  Name: Phil
S: # END
S: % 226 Transaction complete
*: [whole]
S: % 203 Bye
*: [end]
`},
		fetchtest.Case{Name: "servers to ask", URI: "whois++://acm.example/name=phil",
			Body:   "# SERVER-TO-ASK ACM-1\r\n Host-Name: h.example\r\n# END\r\n",
			Client: func(c *fetch.Client) { c.Policy.NoFollow = true }, Script: `
C: name=phil
S: % 220-acm.example ready
S: # SERVER-TO-ASK ACM-1
S:  Host-Name: h.example
S: # END
S: % 226 Transaction complete
*: [whole]
`},
		fetchtest.Case{Name: "nothing", URI: "whois++://acm.example/name=zz", Err: fetch.ErrNotFound, Script: `
C: name=zz
S: % 220 ready
S: % 200 Command okay
S: % 226 Transaction complete
`},
		fetchtest.Case{Name: "too many", URI: "whois++://acm.example/a", Err: fetch.ErrLimit, Script: `
C: a
S: % 220 ready
S: # HANDLE USER ACM-1 PZ01
S: % 110 Too many hits
S: % 226 Transaction complete
`},
		fetchtest.Case{Name: "authentication", URI: "whois++://acm.example/a:authenticate=password", Err: fetch.ErrAuth, Script: `
C: a:authenticate=password
S: % 220 ready
S: % 430 Authentication needed
`},
		fetchtest.Case{Name: "not understood", URI: "whois++://acm.example/a=(", Err: fetch.ErrUnsupported, Script: `
C: a=(
S: % 220 ready
S: % 500 Syntax error
`},
		fetchtest.Case{Name: "busy", URI: "whois++://acm.example/a", Err: fetch.ErrUnavailable, Script: `
C: a
S: % 401 Service not available
`},
	)
}

package prospero

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

// fixed is the scheme with a fixed connection ID for scripts.
func fixed() fetch.Scheme {
	return (&ardp{func(*fetch.Env) uint16 { return 0x1234 }}).scheme()
}

const (
	hello = `C0: \x0f\x124\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n`
	again = `C0: \x0f\x125\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n` // the next id
	third = `C0: \x0f\x126\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n`
	goi   = hello + `GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/a.txt 0\n` + "\n"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, fixed(),
		fetchtest.Case{Name: "contents", URI: "prospero://pros.example/AFTP/a.txt", Type: "text/plain", End: fetch.EndTerminated, Body: "it's\n", Script: `
*: VERSION 5
*: AUTHENTICATE '' UNAUTHENTICATED guest
*: GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII "AFTP/a.txt" 0
` + goi + `
S0: \x03\x124ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n
*: [if ` + ifContents + `]
*: GET-OBJECT-INFO CONTENTS ASCII "AFTP/a.txt" 0
` + again + `GET-OBJECT-INFO CONTENTS ASCII AFTP/a.txt 0\n
S0: \x07\x125\x00\x02\x00\x02''s\n'\n
S0: \x0c\x125\x00\x01\x00\x00\x00\x00\x00\x00\x80ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'it
C0: \x09\x125\x00\x00\x00\x00\x00\x02
`},
		fetchtest.Case{Name: "nothing", URI: "prospero://pros.example/AFTP/a.txt", Err: fetch.ErrNotFound, Script: goi + `
S0: \x03\x124FAILURE NOT-FOUND\n
*: [if ` + ifDirectory + `]
` + again + `DIRECTORY ASCII AFTP/a.txt\nLIST ATTRIBUTES COMPONENTS\n
S0: \x03\x125FAILURE NOT-FOUND\n
`},
		// The answer of dirsrv PreAlpha.5.3 to ACCESS-METHOD+SIZE+UNIX-MODES of a directory (trace goi-directory).
		fetchtest.Case{Name: "directory", URI: "prospero://pros.example/AFTP/a.txt", Type: fetch.ListingType, Script: goi + `
S0: \x03\x124ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 4096' bytes'\nATTRIBUTE OBJECT INTRINSIC UNIX-MODES SEQUENCE drwxr-xr-x\n
*: [if ` + ifDirectory + `]
` + again + `DIRECTORY ASCII AFTP/a.txt\nLIST ATTRIBUTES COMPONENTS\n
S0: \x03\x125NONE-FOUND\n
`},
		// A server that returns methods for directories, too, but no contents.
		fetchtest.Case{Name: "no contents", URI: "prospero://pros.example/AFTP/a.txt", Type: fetch.ListingType, Script: goi + `
S0: \x03\x124ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\nATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE LOCAL '' '' '' ''\n
*: [if ` + ifContents + `]
` + again + `GET-OBJECT-INFO CONTENTS ASCII AFTP/a.txt 0\n
S0: \x03\x125NONE-FOUND\n
*: [if ` + ifDirectory + `]
` + third + `DIRECTORY ASCII AFTP/a.txt\nLIST ATTRIBUTES COMPONENTS\n
S0: \x03\x126LINK L FILE x INTERNET-D h.example ASCII /x 0\n
`},
		fetchtest.Case{Name: "forbidden", URI: "prospero://pros.example/AFTP/a.txt", Err: fetch.ErrRefused, Script: goi + `
S0: \x03\x124FAILURE NOT-AUTHORIZED\n
`},
	)
}

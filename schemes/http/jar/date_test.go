package jar

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	for s, want := range map[string]string{
		"Sun, 06 Nov 1994 08:49:37 GMT":                  "1994-11-06T08:49:37Z",
		"Sunday, 06-Nov-94 08:49:37 GMT":                 "1994-11-06T08:49:37Z",
		"Sun Nov  6 08:49:37 1994":                       "1994-11-06T08:49:37Z",
		"Monday, 13-Jun-1988 03:04:55 GMT":               "1988-06-13T03:04:55Z",
		"Thu Jan  1 00:00:00 GMT 1970":                   "1970-01-01T00:00:00Z",
		"dec 12 12:00:00 1999 GMT":                       "1999-12-12T12:00:00Z",
		"12 Dec 1999 12:12:12 GMT":                       "1999-12-12T12:12:12Z",
		"06-Nov-69 8:9:7":                                "2069-11-06T08:09:07Z",
		"06-Nov-70 8:9:7":                                "1970-11-06T08:09:07Z",
		"6 November 1994 08:49:37.5":                     "1994-11-06T08:49:37Z",
		"08:49:37 6th nov 94":                            "1994-11-06T08:49:37Z",
		"Tue, 29 Feb 2000 00:00:00 GMT":                  "2000-02-29T00:00:00Z",
		"Thu, 29 Feb 2001 00:00:00 GMT":                  "",
		"Thu, 31 Apr 2001 00:00:00 GMT":                  "",
		"Thu, 00 Apr 2001 00:00:00 GMT":                  "",
		"Thu, 32 Apr 2001 00:00:00 GMT":                  "",
		"Sun, 06 Nov 1600 08:49:37 GMT":                  "",
		"Sun, 06 Nov 1994 24:00:00 GMT":                  "",
		"Sun, 06 Nov 1994 08:60:00 GMT":                  "",
		"Sun, 06 Nov 1994 08:49:60 GMT":                  "",
		"Sun, 06 Nov 1994 08:49 GMT":                     "",
		"Sun, 06 Nov 1994":                               "",
		"Sun, 06 1994 08:49:37 GMT":                      "",
		"Nov 1994 08:49:37":                              "",
		"06 Nov 08:49:37":                                "",
		"Sun, 06 Nov 19945 08:49:37 GMT":                 "",
		"":                                               "",
		"1988-06-13T03:04:55Z":                           "",
		"Sun, 06 Nov 1994 08:49:37 GMT 7 Dec 2001 1:1:1": "1994-11-06T08:49:37Z", // the first of each counts
	} {
		d, ok := ParseDate(s)
		got := ""
		if ok {
			got = d.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

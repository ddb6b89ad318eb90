package ftp_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/ftp"
)

// Dialogues that `deref --record` wrote; only hosts and ports were changed.
func TestRecordedDialogues(t *testing.T) {
	fetchtest.Test(t, ftp.Schemes(nil)[0],
		fetchtest.Case{URI: "ftp://ftp.example/about.txt", File: "testdata/dialogues/text.txt",
			Body: "All about us.\n.dotted\nend\n", Type: "text/plain", End: fetch.EndDeclared},
		fetchtest.Case{URI: "ftp://ftp.example/pic.gif", File: "testdata/dialogues/gif.txt", Type: "image/gif"},
		fetchtest.Case{URI: "ftp://ftp.example/sub%20dir/", File: "testdata/dialogues/folder.txt"},
		fetchtest.Case{URI: "ftp://ftp.example/sub%20dir", File: "testdata/dialogues/asfile.txt"},
		fetchtest.Case{URI: "ftp://ftp.example/sub%20dir/one.txt;type=a", File: "testdata/dialogues/deep.txt"},
		fetchtest.Case{URI: "ftp://ftp.example/none", File: "testdata/dialogues/missing.txt", Err: fetch.ErrNotFound},
		fetchtest.Case{URI: "ftp://alice:sesame%20open@ftp.example/about.txt", File: "testdata/dialogues/login.txt"},
		fetchtest.Case{URI: "ftp://alice:wrongword@ftp.example/about.txt", File: "testdata/dialogues/badlogin.txt", Err: fetch.ErrAuth},
	)
}

package ftp_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/ftp"
)

const fileDialogue = `
*: [connected to ftp.example:21]
S: 220-Welcome
S:  220 not the end
S: 220 ready
C: USER anonymous
C: PASS deref@
C: CWD pub
C: CWD a b
C: TYPE I
C: SIZE f.txt
C: MDTM f.txt
C: EPSV
C: RETR f.txt
S: 331 Any password will do
S: 230 Logged in
S: 250 Folder is now "/pub"
S: 250 Folder is now "/pub/a b"
S: 200 TYPE is I
S: 213 14
S: 213 19941220120000
S: 229 Entering Extended Passive Mode (|||4001|)
*2: [connected to ftp.example:4001]
S: 150 Opening BINARY mode data connection for f.txt (14 bytes)
S2: Hello, world
*2: [end]
S: 226 Transfer complete
*: [whole]
C: QUIT
`

const folderDialogue = `
*: [connected to ftp.example:21]
S: 220 ready
C: USER anonymous
C: PASS deref@
C: TYPE I
C: SIZE pub
C: MDTM pub
C: EPSV
C: RETR pub
S: 230 In at once
S: 230 Any password will do
S: 200 TYPE is I
S: 550 No such file
S: 550 No such file
S: 229 Entering Extended Passive Mode (|||4001|)
*2: [connected to ftp.example:4001]
S: 550 Not a plain file
*: [if RETR was answered 550]
C: CWD pub
S: 250 Folder is now "/pub"
C: FEAT
S: 211-Features:
S:  MDTM
S:  MLST type*;size*;modify*;
S: 211 End
*: [if FEAT lists MLST]
C: EPSV
C: MLSD
S: 229 Entering Extended Passive Mode (|||4002|)
*3: [connected to ftp.example:4002]
S: 150 Here it comes
S3: type=cdir;modify=19941220120000; /pub
S3: type=dir;modify=19941220120000; a b
S3: type=file;size=14;modify=19941220120000; f.txt
*3: [end]
S: 226 Transfer complete
*: [whole]
C: QUIT
`

const activeDialogue = `
*: [connected to ftp.example:21]
S: 220 ready
*: [listening on 127.0.0.1:50000]
C: USER anonymous
C: PASS deref@
C: TYPE I
C: SIZE f.txt
C: MDTM f.txt
C: PORT 127,0,0,1,195,80
C: RETR f.txt
S: 331 Any password will do
S: 230 Logged in
S: 200 TYPE is I
S: 213 14
S: 213 19941220120000
S: 200 Address noted
S: 150 Opening BINARY mode data connection for f.txt (14 bytes)
*2: [connected from ftp.example:20]
S2: Hello, world
*2: [end]
S: 226 Transfer complete
*: [whole]
C: QUIT
`

const wrongPassword = `
*: [connected to ftp.example:21]
S: 220 ready
C: AUTH TLS
S: 500 AUTH is not known
C: USER alice
C: PASS ***
C: TYPE I
C: SIZE f
C: MDTM f
C: EPSV
C: RETR f
S: 331 Password required
S: 530 Login incorrect
`

func TestConformance(t *testing.T) {
	fetchtest.Test(t, ftp.Schemes(nil)[0],
		fetchtest.Case{Name: "file", URI: "ftp://ftp.example/pub/a%20b/f.txt", Script: fileDialogue,
			Body: "Hello, world\r\n", Type: "text/plain", End: fetch.EndDeclared},
		fetchtest.Case{Name: "folder", URI: "ftp://ftp.example/pub", Script: folderDialogue, Check: checkFolder},
		fetchtest.Case{Name: "active", URI: "ftp://ftp.example/f.txt", Script: activeDialogue, Body: "Hello, world\r\n", End: fetch.EndDeclared,
			Options: fetch.Options{Set: map[string][]string{"ftp.active": {"yes"}}}},
		fetchtest.Case{Name: "wrong password", URI: "ftp://ftp.example/f", Script: wrongPassword, Err: fetch.ErrAuth,
			Options: fetch.Options{Login: fetch.Login{User: "alice", Password: "correct horse", Set: true}}},
		fetchtest.Case{Name: "no host", URI: "ftp:/x", Err: fetch.ErrRefusedURL},
	)
}

func checkFolder(t testing.TB, d *fetch.Document, _ []byte) {
	if got, want := d.Base.String(), "ftp://ftp.example/pub/"; got != want {
		t.Errorf("got the base %s, want %s", got, want)
	}
}

// Dialogues that `deref --record` wrote; only hosts and ports were changed.
func TestRecordedDialogues(t *testing.T) {
	fetchtest.Test(t, ftp.Schemes(nil)[0],
		fetchtest.Case{URI: "ftp://ftp.example/sub%20dir/", File: "testdata/dialogues/folder.txt"},
		fetchtest.Case{URI: "ftp://ftp.example/sub%20dir/one.txt;type=a", File: "testdata/dialogues/deep.txt"},
		fetchtest.Case{URI: "ftp://ftp.example/none", File: "testdata/dialogues/missing.txt", Err: fetch.ErrNotFound},
		fetchtest.Case{URI: "ftp://alice:sesame%20open@ftp.example/about.txt", File: "testdata/dialogues/login.txt"},
	)
}

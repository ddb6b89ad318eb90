package listing

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"example.org/deref/fetch/fetchtest"
)

// captured returns when the captures were made.
func captured() time.Time { return time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC) }

// show formats a line for comparison: kind, size, time, name and target.
func show(l Line) string {
	kind := [...]string{"unknown", "file", "dir", "link", "special"}[l.Kind]
	size, when := "-", "-"
	if l.Size >= 0 {
		size = fmt.Sprint(l.Size)
	}
	if !l.Modified.IsZero() {
		when = l.Modified.UTC().Format("2006-01-02T15:04:05")
	}
	s := fmt.Sprintf("%s %s %s %q", kind, size, when, l.Name)
	if l.Target != "" {
		s += fmt.Sprintf(" -> %q", l.Target)
	}
	return s
}

func parseAll(t *testing.T, text string, now time.Time) (all []Line) {
	t.Helper()
	for l, err := range Parse(strings.NewReader(text), &Options{Now: now}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// TestLines parses lines of documented formats and of servers in the field.
func TestLines(t *testing.T) {
	now := time.Date(2017, time.March, 10, 23, 0, 0, 0, time.UTC)
	tests := []struct{ in, want string }{
		// ls -l, with and without group, any spacing
		{"drwxr-xr-x    3 110      1002            3 Dec 02  2009 pub", `dir 3 2009-12-02T00:00:00 "pub"`},
		{"-rw-r--r--   1 owner    group               1234 Mar 10 22:59 a b", `file 1234 2017-03-10T22:59:00 "a b"`},
		{"-rw-r--r--   1 owner 1234 Dec 20  1994 nogroup", `file 1234 1994-12-20T00:00:00 "nogroup"`},
		{"-rw-r--r-- 1 1234 Dec 20 1994 noowner", `file 1234 1994-12-20T00:00:00 "noowner"`},
		{"-rw-r--r--   1 owner group 6 Dec 20  1994  leading blank", `file 6 1994-12-20T00:00:00 " leading blank"`},
		{"-rw-r--r--   1 owner group 6 Dec 20  1994 trailing blank ", `file 6 1994-12-20T00:00:00 "trailing blank "`},
		{"-rw-r--r--   1 owner group 6 Dec 20  1994 Jan 1 2000 name", `file 6 1994-12-20T00:00:00 "Jan 1 2000 name"`},
		{"-rw-r--r--   1 domain users 6 Dec 20  1994 x", `file 6 1994-12-20T00:00:00 "x"`},                     // a group of two words
		{"-rw-r--r--+  1 o g 6 Dec 20  1994 acl", `file 6 1994-12-20T00:00:00 "acl"`},                          // an ACL
		{"-rw-r--r--.  1 o g 6 Dec 20  1994 selinux", `file 6 1994-12-20T00:00:00 "selinux"`},                  // a security context
		{"-rwsr-sr-t  1 o g 6 Dec 20  1994 setuid", `file 6 1994-12-20T00:00:00 "setuid"`},                     //
		{"-rw-r--r--   1 o g 6 20 Dec  1994 dayfirst", `file 6 1994-12-20T00:00:00 "dayfirst"`},                // ls in some languages
		{"-rw-r--r--   1 o g 6 20. Dez 1994 deutsch", `file 6 1994-12-20T00:00:00 "deutsch"`},                  //
		{"-rw-r--r--   1 o g 6 d\xe9c 20 1994 latin1", `file 6 1994-12-20T00:00:00 "latin1"`},                  //
		{"-rw-r--r--   1 o g 6 2014-05-06 07:08 iso", `file 6 2014-05-06T07:08:00 "iso"`},                      // --time-style=long-iso
		{"-rw-r--r--   1 o g 6 2014-05-06 07:08:09.123456789 +0200 full", `file 6 2014-05-06T05:08:09 "full"`}, // --full-time
		{"lrwxrwxrwx   1 o g 7 Dec 20  1994 link -> deep/d1", `link - 1994-12-20T00:00:00 "link" -> "deep/d1"`},
		{"lrwxrwxrwx   1 o g 6 Dec 20  1994 a -> b -> c -> d", `link - 1994-12-20T00:00:00 "a -> b" -> "c -> d"`}, // the size distinguishes them
		{"lrwxrwxrwx   1 o g 0 Dec 20  1994 a -> b", `link - 1994-12-20T00:00:00 "a" -> "b"`},
		{"lrwxrwxrwx   1 o g 4294967232 Dec 20  1994 a -> b", `link - 1994-12-20T00:00:00 "a" -> "b"`}, // -64 in 32 bits
		{"crw-rw-rw-   1 root root 1, 3 Dec 20  1994 null", `special - 1994-12-20T00:00:00 "null"`},
		{"prw-rw-rw-   1 root root 0 Dec 20  1994 fifo", `special - 1994-12-20T00:00:00 "fifo"`},
		{"-rw-r--r--   1 o g 6 Mar 11 10:00 tomorrow", `file 6 2017-03-11T10:00:00 "tomorrow"`}, // a clock ahead of ours
		{"-rw-r--r--   1 o g 6 Mar 12 10:00 lastyear", `file 6 2016-03-12T10:00:00 "lastyear"`}, //
		{"-rw-r--r--   1 o g 6 Feb 29 10:00 leap", `file 6 2016-02-29T10:00:00 "leap"`},         // the latest there was
		{"-rw-r--r--   1 o g 99999999999 Dec 20  1994 big", `file 99999999999 1994-12-20T00:00:00 "big"`},
		{"-------r--         326  1391972  1392298 Nov 22  1995 MegaPhone.sit", `file 1392298 1995-11-22T00:00:00 "MegaPhone.sit"`}, // NetPresenz
		{"drwxrwxr-x               folder        2 May 10  1996 network", `dir 2 1996-05-10T00:00:00 "network"`},
		{"total 12", ""},
		{"drwxr-xr-x 2 o g 4096 Dec 20  1994 .", ""},
		{"drwxr-xr-x 2 o g 4096 Dec 20  1994 ..", ""},
		// NetWare
		{"d [R----F--] supervisor            512       Jan 16  1995 login", `dir 512 1995-01-16T00:00:00 "login"`},
		{"- [RWCEAFMS] rhesus             214059       Oct 20  1995 cx.exe", `file 214059 1995-10-20T00:00:00 "cx.exe"`},
		{"d [R----F--] supervisor            512       Jan 16  1995    login",
			`dir 512 1995-01-16T00:00:00 "login"`}, // as some versions align names
		{"- [RWCEAFMS] rhesus             214059       Oct 20  1995  x", `file 214059 1995-10-20T00:00:00 " x"`},
		// VShell
		{"-rwxr-xr-x    1 user group        9 Oct 08, 2002 09:47 new", `file 9 2002-10-08T09:47:00 "new"`},
		{"-rwxr-xr-x    1 user group        9 Oct 08  2002 09:47 new", `file 9 2002-10-08T00:00:00 "09:47 new"`},
		// DOS, IIS
		{"08-10-15  02:04PM       <DIR>          Billing", `dir - 2015-08-10T14:04:00 "Billing"`},
		{"04-27-00  12:09AM                  1024 READ ME.txt", `file 1024 2000-04-27T00:09:00 "READ ME.txt"`},
		{"07-18-1999  22:16                1,024 four", `file 1024 1999-07-18T22:16:00 "four"`},
		{"2015-08-10  14:04      <DIR>          iso", `dir - 2015-08-10T14:04:00 "iso"`},
		{"08-10-15  02:04PM    <JUNCTION>     j [C:\\x y]", `dir - 2015-08-10T14:04:00 "j" -> "C:\\x y"`},
		{"08-10-15  02:04 PM                 5 spaced", `file 5 2015-08-10T14:04:00 "spaced"`},
		// VMS
		{"CORE.;1                 11  8-SEP-1996 16:09:20  [NSMITH]  (RWED,RWED,RE,RE)", `file - 1996-09-08T16:09:20 "CORE."`},
		{"README.TXT;12           2/3  20-DEC-1994 12:00  [A,B]  (RWED,RE,,)", `file - 1994-12-20T12:00:00 "README.TXT"`},
		{"CII_MANUAL.DIR;1        1  20-DEC-1994 12:00:00.12  [ANONYMOUS]  (RWE,RE,RE,RE)", `dir - 1994-12-20T12:00:00 "CII_MANUAL"`},
		{"A_VERY_LONG_NAME_OF_A_FILE.TXT;1\n              5  20-DEC-1994 12:00  [X]  (RWED,,,)",
			`file - 1994-12-20T12:00:00 "A_VERY_LONG_NAME_OF_A_FILE.TXT"`},
		{"X.TXT;1 No privilege for attempted operation", `file - - "X.TXT"`},
		{"Directory SYS$DISK:[ANONYMOUS]", ""},
		{"Total of 3 files, 17/21 blocks.", ""},
		// EPLF
		{"+i8388621.48594,m825718503,r,s280,\tdjb.html", `file 280 1996-03-01T22:15:03 "djb.html"`},
		{"+i8388621.50690,m824255907,/,\t514", `dir - 1996-02-13T23:58:27 "514"`},
		// MLSx
		{"type=file;size=1024990;modify=19990929003355;perm=r; cap 60.pl198.tar.gz", `file 1024990 1999-09-29T00:33:55 "cap 60.pl198.tar.gz"`},
		{"Type=Dir;Modify=19990929003355.123; sub",
			`dir - 1999-09-29T00:33:55 "sub"`}, // facts are blind to case
		{"modify=19990929003355;type=file;size=1;  leading", `file 1 1999-09-29T00:33:55 " leading"`},                    //
		{"type=OS.unix=slink:/foobar;modify=19990929003355; foobar", `link - 1999-09-29T00:33:55 "foobar" -> "/foobar"`}, // RFC 3659 §7.7.4
		{"type=OS.unix=slink:/a b;c/d;size=3; l",
			`link - - "l" -> "/a b;c/d"`}, // targets have blanks and semicolons, facts end in "; "
		{"type=file;size=3;unix.owner=Ann Lab; a; b", `file 3 - "a; b"`},
		{"-rw-r--r--   1 o g 6 Dec 20  1994 a=b; c", `file 6 1994-12-20T00:00:00 "a=b; c"`},
		{"+i8388621.48594,r,s280,\ta=b; c", `file 280 - "a=b; c"`},
		{"type=OS.unix=chr-13/29;unique=AQkAAAAAAABpAAAA; tty", `special - - "tty"`},
		{"type=cdir;modify=19990929003355; /", ""},
		{"type=pdir;modify=19990929003355; ..", ""},
		{"x.unknown=1;type=file;size=nonsense;modify=never; odd", `file - - "odd"`},
		// OS/2
		{"                 0           DIR   04-11-95   16:26  ADDRESS", `dir - 1995-04-11T16:26:00 "ADDRESS"`},
		{"               612      A          07-28-95   16:45  air tra1.bag", `file 612 1995-07-28T16:45:00 "air tra1.bag"`},
		{"    0 DIR       02-11-103  16:15  SUB", `dir - 2003-02-11T16:15:00 "SUB"`}, // years since 1900
		// nothing
		{"drwx: cannot open directory: Permission denied", `unknown - - "drwx: cannot open directory: Permission denied"`},
		{"?", `unknown - - "?"`},
		{"-rw-r--r--   1 o g 6 Dec 20  1994 ", `unknown - - "-rw-r--r--   1 o g 6 Dec 20  1994 "`},
		{"\t \r\r\n", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, l := range parseAll(t, tt.in, now) {
			got = append(got, show(l))
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%q\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestMVS(t *testing.T) {
	got := parseAll(t, `Volume Unit    Referred Ext Used Recfm Lrecl BlkSz Dsorg Dsname
WYOSPT 3420   2003/05/21  1  200  FB      80  8053  PS  48-MVS.FILE
TRXUSR 3390   2003/05/21  1    5  VB     255 27998  PO  TSO.CLIST
Migrated                                                DATA.OLD
`, captured())
	want := []string{`file - 2003-05-21T00:00:00 "48-MVS.FILE"`, `dir - 2003-05-21T00:00:00 "TSO.CLIST"`, `file - - "DATA.OLD"`}
	got = append(got, parseAll(t, ` Name     VV.MM   Created       Changed      Size  Init   Mod   Id
HELLO     01.03 2002/09/12 2002/10/11 09:37    11    11     0 KIL001
NOSTATS
`, captured())...)
	want = append(want, `file - 2002-10-11T09:37:00 "HELLO"`, `file - - "NOSTATS"`)
	var text []string
	for _, l := range got {
		text = append(text, show(l))
	}
	if !slices.Equal(text, want) {
		t.Errorf("got %s\nwant %s", strings.Join(text, "\n"), strings.Join(want, "\n"))
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// TestCaptures parses listings of /pub from the lab's servers.
func TestCaptures(t *testing.T) {
	names, err := filepath.Glob("testdata/*.[lm][il]s[td]")
	if err != nil || len(names) < 5 {
		t.Fatalf("got %q, %v, want at least 5 captures", names, err)
	}
	seen := map[string]map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		seen[name] = map[string]string{}
		for _, l := range parseAll(t, string(b), captured()) {
			fmt.Fprintln(&text, show(l))
			seen[name][l.Name] = fmt.Sprint(l.Kind, l.Modified.UTC().Format("2006-01-02"))
			if l.Kind == File {
				seen[name][l.Name] += fmt.Sprint(" ", l.Size)
			}
		}
		golden(t, name+".golden", text.String())
	}
	want := seen["testdata/vsftpd.list"]
	for name, got := range seen { // all servers list the same directory
		for file, facts := range want {
			other, listed := got[file]
			isLink := strings.HasSuffix(file, "link") || strings.HasPrefix(file, "link") || strings.HasPrefix(file, "broken")
			if listed && other != facts && !isLink {
				t.Errorf("%s: %s: got %s, want %s as with vsftpd", name, file, other, facts)
			}
		}
		if len(got) < 44 {
			t.Errorf("%s: got %d entries, want at least 44", name, len(got))
		}
	}
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, text, want)
	}
}

func TestErrorComesLast(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("type=file; a\r\ntype=file; b"), iotest.ErrReader(broken))
	var got []string
	for l, err := range Parse(r, nil) {
		got = append(got, fmt.Sprint(l.Name, err))
	}
	if want := []string{"a<nil>", "b<nil>", "broken"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongLine(t *testing.T) {
	got := parseAll(t, "type=file; a\ntype=file; "+strings.Repeat("x", 1<<20)+"\ntype=file; b\n", captured())
	if len(got) != 3 || got[1].Kind != Unknown || len(got[1].Name) > maxLine || got[2].Name != "b" {
		t.Errorf("got %d lines, want 3: a, a long one of Kind Unknown, b", len(got))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"-rw-r--r-- 1 o g 6 Dec 20  1994 x\n", "08-10-15  02:04PM       <DIR>          B\r\n", "A.TXT;1\n 5 20-DEC-1994 12:00\n",
		"+i1,m2,/,\tx\n",
		"type=file;size=1;modify=19990929003355; x\n", "Volume Unit Dsname\nA B C\n", " Name VV.MM x\nHELLO 1\n", "d [R--] a 1 Jan 1 1995 x\n",
		"0 DIR 04-11-95 16:26 A\n", "X EXEC V 65 107 2 1994-12-20 15:28:42 0\n",
		"A 6 02/23/94 15:09:55 *DIR d/\n", "A JOB01906 OUTPUT 3\n", "X 1 5 20-Dec-94 14:21:18 255,0 \"oooo\"\n",
		"20.20 94/12/20 1026 d-ewrewr 26 8 x\n",
		"-rw-r--r-- 1 a b 5 12月 20日 1994年 x\n", "-rw-r--r-- 1 a b 5 1994年 12月 20 x\n",
		"6  Dec 20, 1994 21:06 x/\n", "2 Dec-20-1994 05:23:30 x <DIR>\n", "x 7 12/20/94 Tues. 10:20:03\n", "0100644 5 1 2 787924800 x\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		for l, err := range Parse(strings.NewReader(text), &Options{Now: captured()}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			dot := strings.LastIndexByte(l.Name, '.') // z/VM lists the parts of a name as two words
			inParts := dot > 0 && strings.Contains(text, l.Name[:dot]) && strings.Contains(text, l.Name[dot+1:])
			if l.Name == "" || strings.Contains(l.Name, "\n") || !strings.Contains(text, l.Name) && !inParts {
				t.Errorf("%q: got the name %q, want one from the text", text, l.Name)
			}
			if l.Size < -1 || l.Kind == Unknown && l.Size != -1 {
				t.Errorf("%q: got %+v, want a size of -1 or more, and -1 for Kind Unknown", text, l)
			}
		}
		if n > strings.Count(text, "\n")+1 {
			t.Errorf("%q: got %d entries, want no more than lines", text, n)
		}
	})
}

// FuzzMLSx parses lines that are written as RFC 3659 requires.
func FuzzMLSx(f *testing.F) {
	f.Add("name", int64(7), int64(825718503))
	f.Add(" a; b=c", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, name string, size, when int64) {
		if strings.ContainsAny(name, "\r\n") || name == "" || name == "." || name == ".." || len(name) > 1000 {
			t.Skip()
		}
		if size < 0 || when < 0 || when > 1<<37 {
			t.Skip()
		}
		at := time.Unix(when, 0).UTC()
		if at.Year() > 9999 {
			t.Skip()
		}
		line := fmt.Sprintf("modify=%s;size=%d;type=file; %s\r\n", at.Format("20060102150405"), size, name)
		got := parseAll(t, line, captured())
		if len(got) != 1 || got[0].Name != name || got[0].Size != size || !got[0].Modified.Equal(at) || got[0].Kind != File {
			t.Errorf("%q: got %+v, want file %q, %d bytes, %v", line, got, name, size, at)
		}
	})
}

// BenchmarkParse parses listings of ten to a million lines.
func BenchmarkParse(b *testing.B) {
	const line = "-rw-r--r--    1 ftp      ftp             6 Dec 20  1994 name of a file.txt\r\n"
	for n := 10; n <= 1_000_000; n *= 10 {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n * len(line)))
			b.ReportAllocs()
			for b.Loop() {
				for range Parse(fetchtest.RepeatLine(n, line), &Options{Now: captured()}) {
				}
			}
		})
	}
}

// TestManyLinesAreNotHeld checks that the parser does not keep what it has yielded, in each form of listing.
func TestManyLinesAreNotHeld(t *testing.T) {
	forms := []string{
		"-rw-r--r--    1 ftp      ftp             6 Dec 20  1994 name of a file.txt\r\n",
		"modify=19941220120000;size=6;type=file; name of a file.txt\r\n",
		"12-20-94  12:00PM                    6 name of a file.txt\r\n",
	}
	for _, line := range forms {
		n := 0
		held := fetchtest.HeapGrowth(func(sample func()) {
			for _, err := range Parse(fetchtest.RepeatLine(20_000, line), &Options{Now: captured()}) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n%4_000 == 0 {
					sample()
				}
			}
		})
		if n != 20_000 || held > 1<<20 {
			t.Errorf("got %d entries of %q with %d bytes held, want 20000 with at most 1 MiB", n, line, held)
		}
	}
}

// A line states how exactly it has the time, and whether the zone is known.
func TestExactTimes(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for line, want := range map[string]string{
		"-rw-r--r-- 1 joe users 5 Dec 20  1994 a":                      "1994-12-20T00:00:00 24h0m0s false",
		"-rw-r--r-- 1 joe users 5 May 20 10:11 a":                      "2026-05-20T10:11:00 1m0s false",
		"-rw-r--r-- 1 joe users 5 Dec 20 10:11:12 1994 a":              "1994-12-20T10:11:12 1s false",
		"-rw-r--r-- 1 joe users 5 1994-12-20 10:11 a":                  "1994-12-20T10:11:00 1m0s false",
		"-rw-r--r-- 1 joe users 5 1994-12-20 10:11:12.000 +0200 a":     "1994-12-20T08:11:12 1s true",
		"-rw-r--r-- 1 joe users 5 1994-12-20 a":                        "1994-12-20T00:00:00 24h0m0s false",
		"12-20-94  10:11AM                    5 a":                     "1994-12-20T10:11:00 1m0s false",
		"12-20-94  00:11AM                    5 a":                     "1994-12-20T00:11:00 1m0s false",
		"12-20-94  00:11PM                    5 a":                     "1994-12-20T12:11:00 1m0s false",
		"A.TXT;1  5  20-DEC-1994 10:11:12  [JOE] (RWED,RWED,RE,)":      "1994-12-20T10:11:12 1s false",
		"A.TXT;1  5  20-DEC-1994  [JOE] (RWED,RWED,RE,)":               "1994-12-20T00:00:00 24h0m0s false",
		"type=file;size=5;modify=19941220101112; a":                    "1994-12-20T10:11:12 1s true",
		"type=file;size=5; a":                                          " 0s false",
		"+s5,m787918272,\ta":                                           "1994-12-20T10:11:12 1s true",
		"JOE            5 12/20/94 10:11:12 *STMF a":                   "1994-12-20T10:11:12 1s false",
		"A        EXEC     V 5 1 1 1994-12-20 10:11:12 JOE":            "1994-12-20T10:11:12 1s false",
		" Name     VV.MM   Created       Changed      Size  Init   Id": "",
	} {
		var got string
		for l := range Parse(strings.NewReader(line+"\n"), &Options{Now: now}) {
			when := ""
			if !l.Modified.IsZero() {
				when = l.Modified.UTC().Format("2006-01-02T15:04:05")
			}
			got = fmt.Sprint(when, " ", l.Exact, " ", l.Zoned)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

package htmltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/uri"
)

func render(t testing.TB, page, base string) string {
	t.Helper()
	var b strings.Builder
	if err := Render(&b, strings.NewReader(page), false, uri.Resolver{Base: uri.MustParse(base)}, 40); err != nil {
		t.Fatalf("%.80q: got %v, want no error", page, err)
	}
	return b.String()
}

func TestRender(t *testing.T) {
	const ref = "\nReferences\n"
	for in, want := range map[string]string{
		"":                                       "",
		"  \n ":                                  "",
		"one  two\n3":                            "one two 3\n",
		"a<p>b":                                  "a\n\nb\n",
		"<p>a<p>b":                               "a\n\nb\n",
		"a<br>b<br><br>c<br><br><br><br>d":       "a\nb\n\nc\n\nd\n",
		"<h1>T</h1>x<h2>Two</h2><h3>3</h3>":      "T\n=\n\nx\n\nTwo\n---\n\n3\n",
		"a&amp;b &lt;i&gt; &eacute;&#233;&nope;": "a&b <i> éé&nope;\n",
		"<ul><li>a<li>b<ol><li>x<li>y</ol><li>c</ul>z":      "  * a\n  * b\n     1. x\n     2. y\n  * c\n\nz\n",
		"<dl><dt>a<dd>b<dt>c<dd>d<dd>e</dl>f":               "a\n    b\nc\n    d\n    e\n\nf\n",
		"<menu><li>a</menu><dir><li>b</dir>":                "  * a\n\n  * b\n",
		"<pre>\n a  b\r\n\tc</pre>d":                        " a  b\n\tc\n\nd\n",
		"x<xmp><b>&amp;</xmp>y":                             "x\n\n<b>&amp;\n\ny\n",
		"<listing>a  &lt;</listing>":                        "a  <\n",
		"a<plaintext>b </pre>\n <i>":                        "a\n\nb </pre>\n <i>\n",
		"<table><tr><th>a<th>b<tr><td>c</td> <td>d</table>": "a | b\nc | d\n",
		"<table><tr><td>a<td>b</td><td>c</td></tr>\n<tr><td>long<td>d<td>e</tr><tr><td><td><td>f</table>": "a    | b | c\nlong | d | e\n     |   | f\n",
		"<table><tr><th colspan=2>A long title<tr><td>漢字<td>b<tr><td>c<td>d</table>x":                     "A long title\n漢字 | b\nc    | d\n\nx\n",
		"<table><tr><td>" + strings.Repeat("a", 30) + "<td>b<tr><td>c<td>twelve chars</table>":            strings.Repeat("a", 30) + " | b\nc | twelve chars\n",
		"<table><tr><td>one<td>a<p>b<tr><td>c<td>d</table>":                                               "one | a\n\nb\nc | d\n",
		"<ul><li><table><tr><td>one<td>a<tr><td>c<td><a href=x>d</a><td>z</table></ul>":                   "  * \n\n    one | a\n    c   | [1]d | z\n" + ref + "  [1] http://h/d/x\n",
		"<table><tr><td>a<table><tr><td>in<td>n<tr><td>i<td>n</table><td>b<tr><td>c<td>d</table>":         "a\n\nin | n\ni  | n\n\n| b\nc | d\n",
		"<table>" + strings.Repeat("<tr><td>a<td>b", 5000) + "<tr><td>cc<td>d</table>":                    strings.Repeat("a | b\n", 5000) + "cc | d\n",

		"a<script>b</script><style>c</style><title>d</title>e": "ae\n",
		"a<script src=x />b</script>c<svg/>d<style/>e</style>": "acd\n",
		"<img src=x alt=' '><img src=x alt='A cat'>":           "[A cat]\n",
		"<blockquote>q</blockquote>r":                          "    q\n\nr\n",
		strings.Repeat("<blockquote>", 20) + "<hr>a<h1>b</h1>": strings.Repeat(" ", 32) + "--------\n" + strings.Repeat(" ", 32) + "a\n\n" + strings.Repeat(" ", 32) + "b\n" + strings.Repeat(" ", 32) + "=\n",
		"a<hr>b": "a\n" + strings.Repeat("-", 40) + "\nb\n",
		"<figure>a<figcaption>b</figcaption></figure>c<details><summary>d</summary>e</details>f": "a\nb\nc\nd\ne\nf\n",
		"<a name=x>no link</a>":                             "no link\n",
		"see<A\nHREF=a.html>\nthis</A>.":                    "see [1]this.\n" + ref + "  [1] http://h/d/a.html\n",
		"<a href='  /b\n c '>x</a><a href=//o>y</a>":        "[1]x[2]y\n" + ref + "  [1] http://h/b%20c\n  [2] http://o\n",
		"<a href=x></a>a":                                   "[1]a\n" + ref + "  [1] http://h/d/x\n",
		"<a href='a%zz'>bad</a> <a href=ok>good</a>":        "bad [1]good\n" + ref + "  [1] http://h/d/ok\n",
		"<base href=http://o/p/><a href=x>y</a>":            "[1]y\n" + ref + "  [1] http://o/p/x\n",
		"a&shy;b\u200bc&NoBreak;d&#xFEFF;<pre>e&shy;</pre>": "abcd\n\ne\n",
		"<noscript><a href=x>y</a> &amp; z</noscript>":      "[1]y & z\n" + ref + "  [1] http://h/d/x\n",
		"<svg><a xlink:href=x><text>y</text></a></svg>":     strings.TrimPrefix(ref, "\n") + "  [1] http://h/d/x\n",
		"<frameset><frame src=menu.html><frame src=m.html>": "[1](frame)\n[2](frame)\n" + ref +
			"  [1] http://h/d/menu.html\n  [2] http://h/d/m.html\n",
		"<map><area href=a alt=North><area href=b></map>":               "[1]North\n[2]\n" + ref + "  [1] http://h/d/a\n  [2] http://h/d/b\n",
		"<a href=ftp://u:secret@h/x>y</a>":                              "[1]y\n" + ref + "  [1] ftp://u:***@h/x\n",
		"<form>Name <input name=n> <input type=submit value=Go></form>": "Name [____] [Go] [1]Go <?>\n" + ref + "  [1] http://h/d/i.html?n=\n",
		"<form method=post>Name <input name=n></form>":                  "Name [____]\n",
		"<form><input name=n><input name=m></form>":                     "[____][____] [1]Form <?>\n" + ref + "  [1] http://h/d/i.html?n=&m=\n",
		"x<form><input name=n>":                                         "x\n\n[____] [1]Search <?>\n" + ref + "  [1] http://h/d/i.html?n=\n",
		"<isindex prompt='Find: '>x":                                    "[1]Find: <?>\nx\n" + ref + "  [1] http://h/d/i.html\n",
		"<meta http-equiv=Refresh content='0; url=b'>x":                 "[1](refresh)\nx\n" + ref + "  [1] http://h/d/b\n",
		strings.Repeat("word ", 10):                                     "word word word word word word word word\nword word\n",
		"<ul><li>" + strings.Repeat("word ", 10) + "</ul>":              "  * word word word word word word word\n    word word word\n",
		"</ul></dl></blockquote></pre></a>x":                            "x\n",
	} {
		if got := render(t, in, "http://h/d/i.html"); got != want {
			t.Errorf("%q: got\n%q, want\n%q", in, got, want)
		}
	}
}

// The page is from before HTML had a specification. There is no -update flag, because the expected text must be checked by reading it.
func TestPageOf1992(t *testing.T) {
	page, err := os.ReadFile("testdata/1992.html")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/1992.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Render(&b, bytes.NewReader(page), false, uri.Resolver{Base: uri.MustParse("http://info.cern.ch/hypertext/WWW/TheProject.html")},
		72); err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestLinks(t *testing.T) {
	page := `<a href=a>One <b>two</b></a> <a name=x>no</a><a href="b"><img alt="A cat"></a><a href=c>unclosed <a href="%zz">bad</a><area href=d alt=North>`
	var got []string
	for e, err := range Links(strings.NewReader(page), false, uri.Resolver{Base: uri.MustParse("http://h/")}) {
		if err != nil || e.Kind != fetch.KindLink || e.Size != -1 {
			t.Errorf("got %+v, %v, want a link of unknown size", e, err)
		}
		got = append(got, e.URI.String()+" "+e.Title)
	}
	want := "http://h/a One two|http://h/b A cat|http://h/c unclosed bad|http://h/d North"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	n := 0
	for range Links(strings.NewReader(strings.Repeat("<a href=x>", 100)), false, uri.Resolver{Base: uri.MustParse("http://h/")}) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("got %d links after the loop ended, want no more", n)
	}
}

// TestWhatLeadsOn checks links without text.
func TestWhatLeadsOn(t *testing.T) {
	for page, want := range map[string]string{
		"<isindex>":                                                    "search http://h/d/p Search",
		"<ISINDEX PROMPT='Find:'>":                                     "search http://h/d/p Find:",
		"<isindex action=/find>":                                       "search http://h/find Search",
		"<isindex href=/find?old#part>":                                "search http://h/find Search",
		"<base href=/b/><isindex action=f>":                            "search http://h/b/f Search",
		"<form><input name=q></form>":                                  "search http://h/d/p?q= Search",
		"<form action=/f?a=b><input name=q></form>":                    "search http://h/f?q= Search", // the query is replaced
		"<form action=''><input name='a b'><button>Go</button></form>": "search http://h/d/p?a+b= Search",
		"<form method=GET action=f><input type=text name=q><input type=hidden name=l value='e&n'></form>": "search http://h/d/f?l=e%26n&q= Search",
		"<form><input name=isindex></form>":                                                                                           "search http://h/d/p? Search",
		"<form><input type=search name=q><input type=submit value=Go></form>":                                                         "search http://h/d/p?q= Go",
		"<form method=post><input name=q></form>":                                                                                     "",
		"<form><input name=q><input name=r value='a b'></form>":                                                                       "link http://h/d/p?q=&r=a+b Form",
		"<form><input name=q><select name=s></select></form>":                                                                         "link http://h/d/p?q= Form",
		"<form><select name=s><option>A b<option value=2 selected>C</select><select name=t><option> D &amp; E </select></form>":       "link http://h/d/p?s=2&t=D+%26+E Form",
		"<form><input name=q disabled><textarea name=s>x</textarea><input type=submit value=Go></form>":                               "link http://h/d/p?s=x Go",
		"<form><input name=q><input type=checkbox name=s></form>":                                                                     "link http://h/d/p?q= Form",
		"<form><input type=checkbox name=s checked><input type=radio name=r value=1><input type=radio name=r value=2 checked></form>": "link http://h/d/p?s=on&r=2 Form",
		"<form><input type=password name=q></form>":                                                                                   "link http://h/d/p?q= Form",
		"<form><input name=q>" + strings.Repeat("<select name=s><option value="+strings.Repeat("x", 1000)+"></select>", 70):           "",
		"<form><input></form>":                                   "", // without a name nothing is sent
		"<form action='http://['><input name=q></form>":          "",
		"<input name=q>":                                         "",
		"<form><form><input name=q></form><input name=r></form>": "search http://h/d/p?q= Search",
		"<meta http-equiv=refresh content='5; URL=/n'>":          "link http://h/n (refresh)",
		"<meta http-equiv=\"REFRESH\" content=\"0;url='n m'\">":  "link http://h/d/n%20m (refresh)",
		"<meta http-equiv=refresh content='0, n'>":               "link http://h/d/n (refresh)",
		"<meta http-equiv=refresh content=5>":                    "",
		"<meta name=refresh content='0; url=n'>":                 "",
	} {
		got := ""
		for e, err := range Links(strings.NewReader(page), false, uri.Resolver{Base: uri.MustParse("http://h/d/p?x")}) {
			if err != nil {
				t.Fatal(err)
			}
			got += string(e.Kind) + " " + e.URI.String() + " " + e.Title
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func TestBrokenPage(t *testing.T) {
	broken := fetch.Errorf(fetch.ErrTruncated, "broke")
	r := func() io.Reader { return io.MultiReader(strings.NewReader("<p>some <a href=x>text"), failing{broken}) }
	var b strings.Builder
	if err := Render(&b, r(), false, uri.Resolver{Base: uri.MustParse("http://h/")}, 40); !errors.Is(err, fetch.ErrTruncated) ||
		!strings.Contains(b.String(), "some") {
		t.Errorf("got %v and %q, want truncated and the text before", err, b.String())
	}
	var last error
	for _, err := range Links(r(), false, uri.Resolver{Base: uri.MustParse("http://h/")}) {
		last = err
	}
	if !errors.Is(last, fetch.ErrTruncated) {
		t.Errorf("got %v, want truncated", last)
	}
	full := errors.New("full")
	if err := Render(failing{full}, strings.NewReader("x"), false, uri.Resolver{Base: uri.MustParse("http://h/")}, 40); err != full {
		t.Errorf("got %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

// sampled measures the memory at its end.
type sampled struct {
	io.Reader
	sample func()
}

func (s *sampled) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err == io.EOF {
		s.sample()
	}
	return n, err
}

// Extreme pages need neither memory nor stack.
func TestBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("its documents are long")
	}
	for _, s := range []string{"<div>", "<ul><li>", "<dl><dd>", "<blockquote>x", "<table><tr><td>", "<a href=x>",
		"<p>hello <a href=x>link</a> world", "word ", "x", "<pre>\n", "</dl>", "<svg>", "&"} {
		var err error
		held := fetchtest.HeapGrowth(func(sample func()) {
			block, blocks := strings.Repeat(s, 1000), make([]io.Reader, 100)
			for i := range blocks {
				if blocks[i] = strings.NewReader(block); i%10 == 9 { // a collection takes longer than a block
					blocks[i] = &sampled{blocks[i], sample}
				}
			}
			err = Render(io.Discard, io.MultiReader(blocks...), false, uri.Resolver{Base: uri.MustParse("http://h/")}, 72)
		})
		if err != nil || held > 2<<20 {
			t.Errorf("%q 100000 times: got %d KiB more memory, %v, want at most 2 MiB", s, held>>10, err)
		}
	}
	err := Render(io.Discard, fetchtest.RepeatLine(2*tokenMax>>20, strings.Repeat("x", 1<<20)), false, uri.Resolver{Base: uri.MustParse("http://h/")},
		72)
	if !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("a long text without a tag: got %v, want limit", err)
	}
}

func FuzzRender(f *testing.F) {
	page, _ := os.ReadFile("testdata/1992.html")
	for _, s := range []string{string(page), "<a href=x>y</a>", "<pre>\n\r", "<ul><dd></ol></dl><li>", "<h1><pre>x</h1>", strings.Repeat("<blockquote>", 20) + "<hr>", "<a href=x><pre>y",
		"<title><a href=x>", "<plaintext>", "<table><tr><td>a<td id=x>b<tr><td>c<table><tr><td><li>", "<form><input type=radio name=a><select name=x><option>a<textarea name=b>"} {
		f.Add(s)
	}
	base := uri.MustParse("http://h/d/")
	f.Fuzz(func(t *testing.T, page string) {
		var b strings.Builder
		if err := Render(&b, strings.NewReader(page), false, uri.Resolver{Base: base}, 60); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range Links(strings.NewReader(page), false, uri.Resolver{Base: base}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		out := b.String()
		if n > 0 && n < 1000 && !strings.Contains(out, fmt.Sprintf("\n%5s ", fmt.Sprintf("[%d]", n))) {
			t.Fatalf("got %d links, want the last in the list of\n%s", n, out)
		}
		if len(out) > 4096+200*len(page) {
			t.Fatalf("got %d bytes of text from %d bytes, want fewer", len(out), len(page))
		}
	})
}

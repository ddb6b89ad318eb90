package markup_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/deref/uri/markup"
	"golang.org/x/net/html"
)

// A seen has all properties of a token.
type seen struct {
	Raw   string
	Token html.Token
}

// both reads a page with this package and with html.Tokenizer, which needs information from a tree.
func both(page string) (got, want []seen, err, wanted error) {
	t := markup.New(strings.NewReader(page), 1<<20)
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		ours, theirs := t.Next(), z.Next()
		if theirs != html.ErrorToken {
			raw := string(z.Raw()) // before Token, which decodes in place
			k := z.Token()
			if strings.HasPrefix(raw, "<![CDATA[") && k.Type == html.TextToken {
				k.Data = t.Token().Data // x/net decodes references here, but CDATA contains none: HTML Standard section 13.2.5.69
			}
			if k.Type == html.CommentToken || k.Type == html.DoctypeToken {
				k.Data = "" // nobody reads it
			}
			if k.Type == html.SelfClosingTagToken && t.Token().Type == html.StartTagToken { // of an element whose content is text, see TestHTML of links
				k.Type = html.StartTagToken
			}
			want = append(want, seen{raw, k})
		}
		if ours != html.ErrorToken {
			k := t.Token()
			if k.Type != html.TextToken && t.Text() != nil {
				err = errors.New("a text outside of texts")
			}
			got = append(got, seen{string(t.Raw()), k})
		}
		if ours == html.ErrorToken || theirs == html.ErrorToken {
			return got, want, errors.Join(err, unlessEOF(t.Err())), unlessEOF(z.Err())
		}
		if t.IsMarkup() {
			z.NextIsNotRawText()
		}
		z.AllowCDATA(t.IsForeign())
	}
}

func unlessEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func pages() []string {
	return []string{
		"<a href=\"?a=b&copy=c&amp;d&lt\">x &copy y &notit; &notin; &amp&#38;&#x26;&#0;</a>",
		"<A HREF=x href=y HrEf='z'>", "<a =b / =c/d=/ e = 'f\"' g>", "<br/><p a=/><p a/>", "<a\x00b c\x00=\x00d>\x00</a\x00b>",
		"<title>a &amp; <b> \x00</title>&amp;", "<script>a &amp; <!-- </script> --> b</script>&amp;", "<xmp/>&lt;\x00</xmp>\x00",
		"<TEXTAREA>\r\n&lt;\r</textarea>", "<plaintext>&lt;</plaintext>", "<style></style>&lt;", "a\r\nb\rc\n\r", "<a b='\r\n&#13;'>",
		"<a b=&semi;&semi c=&fjlig; d=&amp; e=&ampx f=&amp;x g=&amp=x h=&ThickSpace; i=&#x80;&#xd800;&# j=&; k=& l=&notit; m=&not>",
		"&#120000000000000000000000000000000000001;&#x1000000000000041&#00000000000065;&#x000000000000041;&#99999999;&#x110000;",
		"<!-- c --><!DOCTYPE x><?y?></><![CDATA[z]]>", "<a b", "<noscript>&lt;</noscript><noframes>&lt;</noframes>", "<İ ſ=1 é=2 É=3>",
		"<svg><title><a href=x>&lt;</a></title><style><a></style><![CDATA[<a>\r\n&lt;]]]><desc><style><a></style></desc></svg><style><a></style><![CDATA[<a>]]>",
		"<math><mi><title><a></title></mi><title><a></title><div><title><a></title><![CDATA[<a>]]>", "<svg/><title><a></title>",
		"<svg><p><title><a></title>", "<div><svg></div><title><a></title>", "<svg><![CDATA[", "<svg><![CDATA[x\x00",
	}
}

func TestReadsAsTheTokenizerDoes(t *testing.T) {
	for _, page := range pages() {
		compare(t, page)
	}
}

func FuzzTokens(f *testing.F) {
	for _, page := range pages() {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) { compare(t, page) })
}

func compare(t *testing.T, page string) {
	t.Helper()
	got, want, err, wanted := both(page)
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("got  %q\nwant %q", got[i], want[i])
		}
	}
	if len(got) != len(want) || !errors.Is(err, wanted) {
		t.Fatalf("got %d tokens, %v, want %d, %v", len(got), err, len(want), wanted)
	}
}

func TestCDATA(t *testing.T) {
	z := markup.New(strings.NewReader("<svg><![CDATA[<a>&lt;\x00\r\n]]]>"), 1000)
	z.Next()
	if z.Next(); string(z.Text()) != "<a>&lt;\ufffd\n]" {
		t.Errorf("got %q, want %q", z.Text(), "<a>&lt;\ufffd\n]")
	}
}

// TestNames decodes all names of three letters, and the old names that need no semicolon. None of them must be decoded in part.
func TestNames(t *testing.T) {
	var page bytes.Buffer
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1"
	for _, a := range "aglnAGL1" { // of names of three letters, which may begin with one of two
		for _, b := range letters {
			for _, c := range letters {
				name := string([]rune{a, b, c})
				page.WriteString("<a b='&" + name + "' c='&" + name + ";'>")
			}
		}
	}
	for _, name := range strings.Fields("Aacute aacute Acirc acirc acute AElig aelig Agrave agrave AMP amp Aring aring Atilde atilde Auml auml brvbar Ccedil ccedil cedil " +
		"cent COPY copy curren deg divide Eacute eacute Ecirc ecirc Egrave egrave ETH eth Euml euml frac12 frac14 frac34 GT gt Iacute iacute Icirc icirc iexcl Igrave igrave " +
		"iquest Iuml iuml laquo LT lt macr micro middot nbsp not Ntilde ntilde Oacute oacute Ocirc ocirc Ograve ograve ordf ordm Oslash oslash Otilde otilde Ouml ouml para " +
		"plusmn pound QUOT quot raquo REG reg sect shy sup1 sup2 sup3 szlig THORN thorn times Uacute uacute Ucirc ucirc Ugrave ugrave uml Uuml uuml Yacute yacute yen yuml") {
		page.WriteString("<a b='&" + name + "' c='&" + name + ";' d='&" + name + "x' e='&" + name + "x;' f='&" + name + "='>&" + name + "x")
	}
	compare(t, page.String())
}

func TestBound(t *testing.T) {
	z := markup.New(strings.NewReader("<a "+strings.Repeat("b", 5000)+">"), 100)
	for z.Next() != html.ErrorToken {
	}
	if got, want := fmt.Sprintf("%T: %[1]v", z.Err()), "*markup.LimitError: a tag or text of the page is longer than 100 bytes"; got != want {
		t.Errorf("a tag of 5000 bytes with a buffer of 100: got %s, want %s", got, want)
	}
}

// html5lib returns the files of html5lib-tests in golang.org/x/net, which are in the module cache.
func html5lib(t *testing.T, pattern string) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "html", "testdata", "html5lib-tests", pattern))
	if err != nil || len(files) == 0 {
		t.Skip("golang.org/x/net's test data is not in the module cache")
	}
	return files
}

// TestTokenizerOfHTML5Lib compares the start tags of every page of html5lib-tests' tokenizer directory: names, attributes, values.
func TestTokenizerOfHTML5Lib(t *testing.T) {
	ran := 0
	for _, file := range html5lib(t, "tokenizer/*.test") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all struct {
			Tests []struct {
				Description, Input string
				DoubleEscaped      bool
				InitialStates      []string
				Output             []json.RawMessage
			}
		}
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Tests {
			if c.DoubleEscaped || len(c.InitialStates) > 0 && !slices.Contains(c.InitialStates, "Data state") {
				continue // lone surrogates, and states that only a tree brings about
			}
			ran++
			if got, want := startTags(c.Input), wantedTags(c.Output); !slices.EqualFunc(got, want, sameTag) {
				t.Errorf("%s: %s\n%q\ngot  %q\nwant %q", filepath.Base(file), c.Description, c.Input, got, want)
			}
		}
	}
	t.Logf("%d cases", ran)
	if ran < 6000 {
		t.Errorf("%d cases", ran)
	}
}

type startTag struct {
	Name       string
	Attributes map[string]string
}

func sameTag(a, b startTag) bool { return a.Name == b.Name && maps.Equal(a.Attributes, b.Attributes) }

func startTags(page string) (list []startTag) {
	z := markup.New(strings.NewReader(page), 1<<20)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return list
		case html.StartTagToken, html.SelfClosingTagToken:
			list = append(list, startTag{z.Name(), maps.Collect(z.Attributes())})
		}
	}
}

// wantedTags returns the tags of an output: ["StartTag", name, {attribute: value}].
func wantedTags(output []json.RawMessage) (list []startTag) {
	for _, raw := range output {
		var token []json.RawMessage
		var kind string
		if json.Unmarshal(raw, &token) != nil || len(token) < 3 || json.Unmarshal(token[0], &kind) != nil || kind != "StartTag" {
			continue
		}
		s := startTag{}
		json.Unmarshal(token[1], &s.Name)
		json.Unmarshal(token[2], &s.Attributes)
		list = append(list, s)
	}
	return list
}

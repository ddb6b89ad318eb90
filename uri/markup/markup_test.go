package markup_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.org/deref/uri/markup"
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
	for _, a := range letters {
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

package uri_test

import (
	"flag"
	"fmt"
	"log/slog"
	"os"

	"example.org/deref/uri"
)

func ExampleParse() {
	u, err := uri.Parse("ftp://anonymous@ftp.is.co.za:2121/rfc/rfc%201808.txt;type=a#intro")
	if err != nil {
		fmt.Println(err)
		return
	}
	user, _, _ := u.User()
	fragment, _ := u.Fragment()
	fmt.Println(u.Scheme(), user, u.Host(), u.Port(), u.Path(), fragment)
	// Output: ftp anonymous ftp.is.co.za 2121 /rfc/rfc%201808.txt;type=a intro
}

func ExampleParse_error() {
	_, err := uri.Parse("http://h/50%")
	fmt.Println(err)
	// Output: bad URI: percent sign without two hexadecimal digits (RFC 3986 §2.1) at byte 11
}

func ExampleURI_Segments() {
	for s := range uri.MustParse("ftp://h/a%2Fb//c").Segments() {
		fmt.Printf("%q ", s.Decode())
	}
	// Output: "a/b" "" "c"
}

func ExampleURI_HostPort() {
	fmt.Println(uri.MustParse("http://bücher.example/").HostPort(80))
	fmt.Println(uri.MustParse("http://[fe80::1%25eth0]:8080/").HostPort(80))
	// Output:
	// xn--bcher-kva.example:80 <nil>
	// [fe80::1%eth0]:8080 <nil>
}

func ExampleURI_Redacted() {
	fmt.Println(uri.MustParse("ftp://me:secret@h/").Redacted(nil))
	fmt.Println(uri.MustParse("snmp://community@h/").Redacted(&uri.Rules{SecretUser: true}))
	// Output:
	// ftp://me:***@h/
	// snmp://***@h/
}

func ExampleBuild() {
	u, err := uri.Build("ftp").Host("ftp.example").Segments("pub", "what?", "a/b.txt").URI()
	fmt.Println(u, err)
	_, err = uri.Build("http").Host("good.example@evil.example").URI()
	fmt.Println(err)
	_, err = uri.Build("http").Host("h").Port(8).Path("0/x").URI() // not http://h:80/x
	fmt.Println(err)
	// Output:
	// ftp://ftp.example/pub/what%3F/a%2Fb.txt <nil>
	// bad URI: host (RFC 3986 §3.2.2)
	// bad URI: path after a host without a slash at its start (RFC 3986 §3.3)
}

func ExampleURI_Edit() {
	u := uri.MustParse("http://h:8080/search?q=a#top")
	next, err := u.Edit().NoPort().Query("q=" + uri.AllButUnreserved.Escape(uri.RFC3986, "a & b")).NoFragment().URI()
	fmt.Println(next, err)
	// Output: http://h/search?q=a%20%26%20b <nil>
}

func ExampleURI_LogValue() {
	l := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	l.Info("get", "uri", uri.MustParse("ftp://me:secret@h/"))
	// Output: level=INFO msg=get uri=ftp://***@h/
}

func ExampleURI_Set() {
	var u uri.URI
	fs := flag.NewFlagSet("tool", flag.ContinueOnError)
	fs.Var(&u, "base", "the base `URI`")
	err := fs.Parse([]string{"-base", "http://h/a"})
	fmt.Println(u, err)
	// Output: http://h/a <nil>
}

func ExampleURI_Resolve() {
	base := uri.MustParse("http://a/b/c/d;p?q")
	fmt.Println(base.Resolve(uri.MustParse("../g?y")))
	// Output: http://a/b/g?y
}

func ExampleMode_Resolve() {
	base, ref := uri.MustParse("magic://a/b/c//d/e/f"), uri.MustParse("//g")
	fmt.Println(uri.RFC1630.Resolve(base, ref))
	base, ref = uri.MustParse("http://host//a/b"), uri.MustParse("/g")
	fmt.Println(uri.RFC1630.Resolve(base, ref), uri.RFC3986.Resolve(base, ref))
	// Output:
	// magic://g
	// http://host//a/g http://host/g
}

func ExampleMode_Relativize() {
	base := uri.MustParse("http://a/b/c/d")
	fmt.Println(uri.RFC3986.Relativize(base, uri.MustParse("http://a/b/x")))
	// Output: ../x
}

func ExampleMode_Normalize() {
	u := uri.MustParse("HTTP://Example.COM:80/%7Euser/../a%2fb")
	fmt.Println(uri.RFC3986.Normalize(u, nil))
	fmt.Println(uri.RFC3986.Normalize(u, &uri.Rules{DefaultPort: 80, Hierarchical: true}))
	// Output:
	// http://example.com:80/a%2Fb
	// http://example.com/a%2Fb
}

func ExampleMode_Equal() {
	a, b := uri.MustParse("http://h/marie-claude"), uri.MustParse("http://h/marie%2Dclaude")
	fmt.Println(uri.RFC1630.Equal(a, b, nil))
	a, b = uri.MustParse("http://h/a#"), uri.MustParse("http://h/a") // D17
	fmt.Println(uri.RFC1630.Equal(a, b, nil), uri.RFC3986.Equal(a, b, nil))
	// Output:
	// true
	// true false
}

func ExampleMode_Encode() {
	u := uri.MustParse("http://h/~caf%C3%A9")
	fmt.Println(uri.RFC3986.Encode(u, uri.SafeMail))
	fmt.Println(uri.RFC3986.Encode(u, uri.SafePrint))
	// Output:
	// http://h/%7Ecaf%C3%A9
	// http://h/~café
}

func ExampleContext_Escape() {
	fmt.Println(uri.Segment.Escape(uri.RFC3986, "50% a/b"))
	fmt.Println(uri.SearchWords.Escape(uri.RFC3986, "plus + sign"))
	fmt.Println(uri.FTPSegment.Escape(uri.RFC1738, "a;type=i"))
	// Output:
	// 50%25%20a%2Fb
	// plus+%2B+sign
	// a%3Btype=i
}

func ExampleContext_Unescape() {
	fmt.Println(uri.SearchWords.Unescape("plus+%2B+sign"))
	fmt.Println(uri.Segment.Unescape("a+b"))
	// Output:
	// plus + sign <nil>
	// a+b <nil>
}

func ExampleFind() {
	for f := range uri.Find("See <URL:http://h/very/\n   long> (or ftp://h/x.txt), note: 12:30.") {
		fmt.Println(f.URI)
	}
	// Output:
	// http://h/very/long
	// ftp://h/x.txt
}

package mimemail_test

import (
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch/mimemail"
)

const message = `Subject: =?utf-8?Q?caf=C3=A9?=
Content-Type: multipart/mixed; boundary=b

--b

See the picture.
--b
Content-Type: image/gif; name=dot.gif
Content-ID: <dot@site.example>
Content-Transfer-Encoding: base64

R0lGODlh
--b--
`

func Example() {
	h := mimemail.ParseHeader([]byte(message))
	fmt.Println(mimemail.Words(h.Get("Subject")))
	for p, err := range mimemail.Parts(strings.NewReader(message), 50) {
		if err != nil {
			fmt.Println(err)
			return
		}
		b, _ := io.ReadAll(p.Body)
		fmt.Printf("%s %s %q %q\n", p.Path, p.Type, p.Name, b)
	}
	// Output:
	// café
	// 1 text/plain "" "See the picture."
	// 2 image/gif; name=dot.gif "dot.gif" "GIF89a"
}

func ExampleFind() {
	e, err := mimemail.Find(strings.NewReader(message), 50, func(e *mimemail.Entity) bool {
		return e.ContentID() == "dot@site.example"
	})
	if err != nil || e == nil {
		fmt.Println("not found", err)
		return
	}
	body, _ := e.Decoded()
	b, _ := io.ReadAll(body)
	fmt.Printf("%v %q\n", e.Path, b)
	// Output: [2] "GIF89a"
}

package ftptest_test

import (
	"fmt"
	"io"
	"testing/fstest"

	"github.com/jlaffaye/ftp"

	"example.org/deref/schemes/ftp/ftptest"
)

// A client of another library retrieves a file.
func ExampleNewServer() {
	srv := ftptest.NewServer(fstest.MapFS{"motd.txt": {Data: []byte("Welcome.\n")}}, nil)
	defer srv.Close()

	c, err := ftp.Dial(srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Quit()
	if err := c.Login("anonymous", "test@"); err != nil {
		fmt.Println(err)
		return
	}
	r, err := c.Retr("motd.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	b, _ := io.ReadAll(r)
	fmt.Printf("%s", b)
	// Output: Welcome.
}

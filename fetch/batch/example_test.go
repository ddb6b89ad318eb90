package batch_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// hello stands for fetch.New(schemes.All(nil)...). Its documents are greetings with the path, except that /nobody does not exist.
type hello struct{}

func (hello) Plan(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{URI: u}, nil }

func (hello) Get(_ context.Context, u uri.URI, _ *fetch.Options) (*fetch.Document, error) {
	if u.Path() == "/nobody" {
		return nil, fetch.Errorf(fetch.ErrNotFound, "there is nobody")
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader("hello " + string(u.Path()[1:]))))
	d.URI = u
	return d, nil
}

// A list is saved into a directory, eight documents at a time, politely, and can be continued after an interruption.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "batch")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	to, err := save.OpenDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer to.Close()
	state, err := batch.OpenState(dir + "/.state")
	if err != nil {
		log.Fatal(err)
	}
	defer state.Close()

	list := batch.List(strings.NewReader(`
# today's
http://example.org/world
http://example.org/you name=me.txt
http://example.org/nobody
`), nil)
	sum, err := batch.Run(context.Background(), list, batch.Files(hello{}, nil, &save.Options{Dir: to}), &batch.Options{
		Parallel: 8,
		Pause:    10 * time.Millisecond,
		Retry:    retry.Policy{Retries: 3, MaxTime: time.Minute},
		Journal:  state,
		Done: func(it *batch.Item, size int64, err error) {
			if err != nil {
				fmt.Println(it.URI, "failed:", err)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Done, "done,", sum.Failed, "failed,", sum.Bytes, "bytes")
	// Output:
	// http://example.org/nobody failed: there is nobody
	// 2 done, 1 failed, 20 bytes
}

// A custom Task does something else with each document.
func ExampleTask() {
	c := hello{} // fetch.New(schemes.All(nil)...)
	task := func(ctx context.Context, it *batch.Item) (int64, error) {
		d, err := c.Get(ctx, it.URI, it.Request(nil))
		if err != nil {
			return 0, err
		}
		defer d.Body.Close()
		return io.Copy(os.Stdout, d.Body)
	}
	batch.Run(context.Background(), batch.Items(uri.MustParse("http://example.org/world")), task, nil)
	// Output: hello world
}

// A crawl adds the links of each document to the list that it processes. A URI that is already in the list is not added again.
func ExampleFrontier() {
	f, err := batch.OpenFrontier("")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	links := map[string]string{"/": "/a", "/a": "/b", "/b": "/"}
	f.Add(uri.MustParse("http://example.org/"), nil)
	task := func(_ context.Context, it *batch.Item) (int64, error) {
		next := links[string(it.URI.Path())]
		added, err := f.Add(uri.MustParse("http://example.org"+next), nil)
		fmt.Println(it.URI, "links to", next, added)
		return 0, err
	}
	sum, err := f.Run(context.Background(), task, &batch.Options{Parallel: 1}) // to print in order
	fmt.Println(f.Len(), sum.Done, err)
	// Output:
	// http://example.org/ links to /a true
	// http://example.org/a links to /b true
	// http://example.org/b links to / false
	// 3 3 <nil>
}

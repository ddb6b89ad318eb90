package save_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// exampleClient stands for fetch.New(schemes.All(nil)...).
func exampleClient() *fetch.Client {
	return fetch.New(fetch.Scheme{Names: []string{"test"}, Rules: uri.Rules{Hierarchical: true}, Does: fetch.Does{Retrieves: true},
		Plan: newSite(map[string]*object{"/guide.txt": {data: []byte("Read me first.\n")}}).Plan})
}

func ExampleFile() {
	dir, err := os.MkdirTemp("", "save")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	client := exampleClient() // fetch.New(schemes.All(nil)...)
	defer client.Close()
	u := uri.MustParse("test://example.org/guide.txt")
	result, err := save.File(context.Background(), client, u, nil, &save.Options{Path: filepath.Join(dir, "my-guide.txt"), Resume: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(result.Path), result.Size)
	// Output: my-guide.txt 15
}

// A name from a server stays within the directory, and replaces nothing.
func ExampleFile_folder() {
	dir, err := os.MkdirTemp("", "save")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	to, err := save.OpenDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer to.Close()

	client := exampleClient()
	defer client.Close()
	u := uri.MustParse("test://example.org/guide.txt")
	result, err := save.File(context.Background(), client, u, nil, &save.Options{Dir: to, ServerName: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(result.Path))
	// Output: guide.txt
}

func ExampleDocument() {
	client := exampleClient()
	defer client.Close()
	ctx := context.Background()
	d, err := client.Get(ctx, uri.MustParse("test://example.org/guide.txt"), nil)
	if err != nil {
		log.Fatal(err)
	}
	result, err := save.Document(ctx, d, &save.Options{Path: "-", Stdout: os.Stdout})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Size, "bytes")
	// Output:
	// Read me first.
	// 15 bytes
}

func ExampleClean() {
	fmt.Println(save.Clean(`..\..\Windows\NUL.txt`))
	fmt.Println(save.Clean("/etc/.bashrc"))
	fmt.Println(save.Clean("caf\xe9.txt"))
	// Output:
	// _NUL.txt
	// _bashrc
	// caf%E9.txt
}

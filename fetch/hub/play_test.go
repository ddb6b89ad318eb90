//go:build unix || windows

package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/uri"
)

const playedJob = "killed"

// play is the main function of a process: "hub", with a directory and an address, "node" (see playNode), "synthetic" (see playSynthetic), or "worker", with the hub, its name,
// and the server of documents. It prints one line when it is ready, and events after that.
func play(role string) {
	args := os.Args[1:]
	var err error
	switch role {
	case "hub":
		var s *hub.Server
		o := &hub.ServerOptions{Dir: args[0], Addr: args[1], SyncInterval: time.Minute, Report: func(problem string) { fmt.Println(problem) }}
		if s, err = hub.Serve(o); err == nil {
			fmt.Println("ready", s.URL(""))
			select {}
		}
	case "node":
		err = playNode(args[0], args[1], args[2], args[3:])
	case "worker":
		err = playWorker(args[0], args[1], args[2])
	case "synthetic":
		err = playSynthetic(args[0], args[1])
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func playWorker(url, name, documents string) error {
	c, err := hub.Dial(url, nats.Timeout(time.Minute))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx := context.Background()
	j, err := hub.Open(ctx, c, playedJob)
	if err != nil {
		return err
	}
	return j.Work(ctx, httpTask(documents, name), &hub.WorkOptions{Name: name, Batch: batch.Options{PerHost: 2},
		Report: func(event string, args ...any) { fmt.Println(event, fmt.Sprint(args...)) }})
}

const scaleHosts = 200

func scalePage(n int) uri.URI {
	return uri.MustParse(fmt.Sprintf("http://h%d.test/%d", n%scaleHosts, n))
}

// playSynthetic is a worker whose documents take no time.
func playSynthetic(url, name string) error {
	c, err := hub.Dial(url, nats.Timeout(time.Minute))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx := context.Background()
	j, err := hub.Open(ctx, c, playedJob)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	task := func(context.Context, *batch.Item, hub.AddFunc) (int64, error) { return 10, nil }
	return j.Work(ctx, task, &hub.WorkOptions{Name: name, Connections: 64, Batch: batch.Options{PerHost: 8}})
}

// httpTask requests each page from the server of the test, and adds its links, which are numbers of pages.
func httpTask(documents, name string) hub.Task {
	client := &http.Client{}
	return func(ctx context.Context, it *batch.Item, add hub.AddFunc) (int64, error) {
		req, err := http.NewRequestWithContext(ctx, "GET", documents+"/"+it.URI.Hostname()+string(it.URI.Path())+"?by="+name, nil)
		if err != nil {
			return 0, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, fetch.Errorf(fetch.ErrConnection, "%w", err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, fetch.Errorf(fetch.ErrConnection, "%w", err)
		}
		var links []int
		if err := json.Unmarshal(body, &links); err != nil {
			return 0, err
		}
		for _, n := range links {
			if _, err := add(playedPage(n), nil); err != nil {
				return 0, err
			}
		}
		return int64(len(body)), nil
	}
}

func playedPage(n int) uri.URI {
	return uri.MustParse(fmt.Sprintf("http://h%d.test/%d", n%40, n))
}

// start starts a process that plays a role.
func start(t *testing.T, role string, args ...string) *hubtest.Process {
	t.Helper()
	return hubtest.Start(t, []string{"DEREF_HUB_TEST=" + role}, args...)
}

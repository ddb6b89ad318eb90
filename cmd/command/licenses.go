package command

import _ "embed"

// licenses is `deref help licenses`. It lists the modules that the command links on any system, with their licenses. To update it after a change of go.mod:
//
//	go test ./cmd/command -run Licenses -update
//
//go:embed licenses.txt
var licenses string

module example.org/deref

go 1.26.0

require github.com/jlaffaye/ftp v0.2.4

require (
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/jdx/go-netrc v1.0.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

require (
	github.com/andybalholm/brotli v1.2.7
	github.com/klauspost/compress v1.20.3
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/spf13/pflag v1.0.10 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

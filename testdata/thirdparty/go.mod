// A scheme in a module of its own. Copy the directory, and change the name of the module and the version of deref.
module example.com/memo

go 1.26.0

require example.org/deref v0.0.0

require (
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

// Without this line, the version above is used.
replace example.org/deref => ../..

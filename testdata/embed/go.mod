// A program of its own that embeds deref, as a stranger would write it.
module example.com/embed

go 1.26.0

require example.org/deref v0.0.0

require (
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace example.org/deref => ../..

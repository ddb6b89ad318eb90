module example.org/deref

go 1.26

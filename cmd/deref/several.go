package main

func firstOf(first, err error) error {
	if first != nil {
		return first
	}
	return err
}

func asPrinted(err error) error {
	if err == nil {
		return nil
	}
	return &printedError{err}
}

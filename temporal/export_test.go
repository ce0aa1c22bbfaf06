package temporal

import "strconv"

// Interpreter is the version of the interpreter.
func Interpreter() string { return strconv.Itoa(interpreter) }

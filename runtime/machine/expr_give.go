package machine

import "fmt"

// compileRecord makes an item of a list of its leaves.
func (c *exprCompiler) compileRecord(e *Expr) (*code, error) {
	if e.Type.Kind != RecordKind {
		return nil, fmt.Errorf("expression %q is said to be of type %s", e.Op, c.d.TypeName(&e.Type))
	}
	leaves, err := c.compileGiven(e.Type.Fields, e.Args)
	if err != nil {
		return nil, err
	}
	return valueCode(e.Type, func(e *env) (Value, error) {
		values := make([]Value, len(leaves))
		for i, leaf := range leaves {
			var err error
			if values[i], err = leaf.value(e); err != nil {
				return Unset, err
			}
		}
		return RecordValue(values...), nil
	}), nil
}

func (c *exprCompiler) compileGuard(e *Expr) (*code, error) {
	if e.Index < 0 || e.Index >= len(c.d.Guards) {
		return nil, fmt.Errorf("there is no guard %d", e.Index)
	}
	guard, g := e.Index, &c.d.Guards[e.Index]
	args, err := c.compileGiven(g.Params, e.Args)
	if err != nil {
		return nil, fmt.Errorf("guard %q: %w", g.Name, err)
	}
	return testCode(func(e *env) (bool, error) {
		values := make([]Value, len(args))
		for i, a := range args {
			var err error
			if values[i], err = a.value(e); err != nil {
				return false, err
			}
		}
		if err := e.machine.def.checkFields(g.Params, values); err != nil {
			return false, faultOf(GuardArguments, g.Name).saying(err.Error())
		}
		return e.answer(guard, values)
	}), nil
}

// compileGiven compiles what is given for params.
func (c *exprCompiler) compileGiven(params []Field, list []*Expr) ([]*code, error) {
	args := make([]*code, len(list))
	for i, a := range list {
		var err error
		if args[i], err = c.compilePlace(a, i < len(params) && params[i].Optional); err != nil {
			return nil, err
		}
		if i < len(params) && params[i].alone() && params[i].Type.Kind == JSON {
			args[i].value = noNull(args[i].value)
		}
	}
	return args, c.checkArgs(params, args)
}

// compilePlace compiles what is given to what may be unset, or not.
func (c *exprCompiler) compilePlace(e *Expr, mayBeUnset bool) (*code, error) {
	c.given = mayBeUnset
	return c.compile(e)
}

// noNull is value without null, which is no value where a json may be absent.
func noNull(value func(*env) (Value, error)) func(*env) (Value, error) {
	return func(e *env) (Value, error) {
		v, err := value(e)
		if v.s == "null" {
			return Unset, err
		}
		return v, err
	}
}

func (c *exprCompiler) checkArgs(params []Field, args []*code) error {
	if len(args) != len(params) {
		return fmt.Errorf("%d arguments for %d parameters", len(args), len(params))
	}
	for i, a := range args {
		if !sameType(&a.typ, &params[i].Type) {
			return fmt.Errorf("parameter %q is given a %s", params[i].Name, c.d.TypeName(&a.typ))
		}
	}
	return nil
}

// answer asks a host guard, at most once for the same arguments in one step.
func (e *env) answer(guard int, args []Value) (bool, error) {
	for i := range e.verdicts {
		if v := &e.verdicts[i]; v.Guard == guard && ListValue(v.Args...).Equal(ListValue(args...)) {
			return v.Answer, nil
		}
	}
	name := e.machine.def.Guards[guard].Name
	if e.ask == nil {
		return false, faultOf(GuardUnanswered, name)
	}
	answer, err := e.ask(guard, args)
	if err != nil {
		return false, faultOf(GuardFailed, name).saying(err.Error())
	}
	e.verdicts = append(e.verdicts, Verdict{Guard: guard, Args: args, Answer: answer})
	return answer, nil
}

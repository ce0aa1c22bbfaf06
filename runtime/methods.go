package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
)

// ActivityOf makes an activity of a typed method: a function of a context, an
// *Attempt and the activity's arguments, whose names are params. It returns an
// error, and before that the event that it raises, if the activity has any.
func ActivityOf(method any, params ...string) ActivityFunc {
	f := methodOf(method, params, 2)
	return func(ctx context.Context, a *Attempt) (Result, error) {
		out, err := f.call(a.Args, reflect.ValueOf(ctx), reflect.ValueOf(a))
		if err != nil || len(out) == 0 {
			return Result{}, err
		}
		event, ok := out[0].Interface().(interface{ FSMEvent() string })
		if !ok {
			return Result{}, fmt.Errorf("activity %q returned neither a result nor an error", a.Activity)
		}
		return Result{Event: event.FSMEvent(), Data: event}, nil
	}
}

// GuardOf makes a host guard of a typed method: a function of the guard's
// arguments, whose names are params, that returns a bool and an error.
func GuardOf(method any, params ...string) GuardFunc {
	f := methodOf(method, params, 0)
	return func(_ context.Context, args json.RawMessage) (bool, error) {
		out, err := f.call(args)
		if err != nil {
			return false, err
		}
		return out[0].Bool(), nil
	}
}

// typedMethod is a function whose last arguments have names.
type typedMethod struct {
	value  reflect.Value
	params []string
}

func methodOf(method any, params []string, first int) *typedMethod {
	f := &typedMethod{value: reflect.ValueOf(method), params: params}
	if t := f.value.Type(); t.NumIn() != first+len(params) {
		panic(fmt.Sprintf("runtime: %s does not take %d arguments", t, first+len(params)))
	}
	return f
}

// call calls the function with arguments from their JSON, and gives what it
// returns without the error behind that.
func (f *typedMethod) call(data json.RawMessage, in ...reflect.Value) ([]reflect.Value, error) {
	var args map[string]json.RawMessage
	if len(f.params) > 0 {
		if err := json.Unmarshal(data, &args); err != nil {
			return nil, err
		}
	}
	for _, name := range f.params {
		arg := reflect.New(f.value.Type().In(len(in))).Elem()
		if text, ok := args[name]; ok {
			if err := readFields(text, arg); err != nil {
				return nil, fmt.Errorf("argument %q: %w", name, err)
			}
		}
		in = append(in, arg)
	}
	out := f.value.Call(in)
	last := len(out) - 1
	err, _ := out[last].Interface().(error)
	return out[:last], err
}

package product

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// witness writes down the run to node i and the input that comes there, as the new
// machine takes them. Where that refuses the input, the run ends where it stands.
func (s *search) witness(i int, last arrival, answers map[string]bool, new *outcome) *diag.Witness {
	w := &diag.Witness{Loop: -1}
	var way []int
	for ; i >= 0; i = s.nodes[i].from {
		way = append(way, i)
	}
	slices.Reverse(way)
	for k, i := range way {
		n := &s.nodes[i]
		in, given := last, answers
		if k+1 < len(way) {
			in, given = s.nodes[way[k+1]].by, s.nodes[way[k+1]].answers
		}
		data := s.data(&in.new)
		if n.new.State < 0 {
			w.Params, w.Guards = data, texts(given)
			continue
		}
		w.Path = append(w.Path, diag.Step{State: s.new.leaf(n.new), Input: in.text, Data: data, Guards: texts(given), At: since(in)})
	}
	end := s.nodes[way[len(way)-1]].new
	if new.next != nil {
		end = new.next
	}
	w.Path = append(w.Path, diag.Step{State: s.new.leaf(end), At: since(last)})
	return w
}

func since(a arrival) string { return ir.FormatDuration(int64(a.at.Sub(epoch))) }

// data is the payload of an input of the new machine, or its parameters.
func (s *search) data(in *machine.Input) map[string]any {
	var text json.RawMessage
	var err error
	switch {
	case in.Kind == machine.StartInput:
		text, err = s.new.x.EncodeParams(in.Data)
	case len(in.Data) > 0:
		text, err = s.new.x.EncodePayload(in.Event, in.Data)
	default:
		return nil
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err != nil || d.Decode(&out) != nil {
		return nil
	}
	return out
}

func texts(answers map[string]bool) map[string]bool {
	if len(answers) == 0 {
		return nil
	}
	out := map[string]bool{}
	for question, answer := range answers {
		out[answerText(question)] = answer
	}
	return out
}

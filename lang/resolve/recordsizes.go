package resolve

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// size is what a record has in it.
type size struct{ leaves, deep int }

// step is a record and the field of it that leads to the next one.
type step struct {
	record *ir.Record
	field  *ir.Field
}

// measure measures records, depth first, and breaks their cycles: a field that leads back
// to its record is reported, and becomes Invalid.
func (r *resolver) measure(records []*ir.Record) {
	for _, rec := range records {
		r.sizeOf(rec, nil)
	}
}

func (r *resolver) sizeOf(rec *ir.Record, around []step) size {
	if known, ok := r.sizes[rec]; ok {
		return known
	}
	total := size{deep: 1}
	for _, f := range rec.Fields {
		way := append(around, step{rec, f})
		n := size{leaves: 1}
		if inner := f.Type.Innermost().Record; inner != nil {
			if i := slices.IndexFunc(way, func(s step) bool { return s.record == inner }); i >= 0 {
				r.cycle(way[i:])
				continue
			}
			if len(way) < maxRecordDeep {
				n = r.sizeOf(inner, way)
			} else {
				n.deep = maxRecordDeep
			}
		}
		total.leaves, total.deep = total.leaves+n.leaves, max(total.deep, n.deep+1)
		if total.leaves > maxRecord || total.deep > maxRecordDeep {
			r.homeOf(rec).report("syntax", f.Span, "record "+quote(rec.Name)+" is too large",
				"A record has at most "+strconv.Itoa(maxRecord)+" values, those of the records in it counted, and "+
					strconv.Itoa(maxRecordDeep)+" records inside each other. Use a json for more.")
			f.Type, total = invalid, size{leaves: 1, deep: 1}
		}
	}
	r.sizes[rec] = total
	return total
}

// homeOf is the resolver of the file that declares rec, or of the machine.
func (r *resolver) homeOf(rec *ir.Record) *resolver {
	if home := r.homes[rec]; home != nil {
		return home.resolver
	}
	return r
}

// cycle reports round, by which a record has itself in it: at its last field that is
// reported where r reports, or else at the last.
func (r *resolver) cycle(round []step) {
	for i := len(round) - 1; i > 0 && r.homeOf(round[len(round)-1].record).unit != r.unit; i-- {
		round = append(slices.Clone(round[len(round)-1:]), round[:len(round)-1]...)
	}
	last := round[len(round)-1]
	var names []string
	var places []diag.Related
	for i, s := range round {
		names = append(names, s.record.Name)
		if i > 0 {
			places = append(places, related(s.record.Span, quote(s.record.Name)+" is declared here"))
		}
	}
	names = append(names, round[0].record.Name)
	r.homeOf(last.record).report(typeMismatch, last.field.Span, "a record cannot have itself in it: "+strings.Join(names, " -> "),
		"Keep the name or the number of the other one instead, or use a json.", places...)
	last.field.Type = invalid
}

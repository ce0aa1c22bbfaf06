// Plays sequences of inputs on the original's own interpreter. The job is one JSON object on
// standard input: the format, the text, and the sequences; the answer is, for each sequence,
// the states after the start and after each input, of XState each with the actions on the way.
const { readFileSync } = require('node:fs')

// verdict is what a guard says in a sequence; the Go test computes the same.
function verdict(name, salt) {
  let hash = salt
  for (const c of name.toLowerCase().replace(/[^a-z0-9]/g, '')) hash = (hash * 31 + c.charCodeAt(0)) % 65521
  return hash % 3 !== 0
}

// deepest is the path of the leaf of a state's value.
function deepest(value) {
  if (typeof value === 'string') return value
  const [key] = Object.keys(value)
  const inner = deepest(value[key])
  return inner === undefined ? key : key + '.' + inner
}

function playXState(job) {
  const { createMachine, createActor, SimulatedClock } = require('xstate')
  const config = JSON.parse(job.text)
  return job.sequences.map((sequence, i) => {
    const guards = Object.fromEntries(job.guards.map((g) => [g, () => verdict(g, i)]))
    const clock = new SimulatedClock()
    let log = []
    const actions = Object.fromEntries(job.guards.map((g) => [g, () => { log.push(g) }]))
    const out = () => { const r = deepest(actor.getSnapshot().value) + '|' + log.join(','); log = []; return r }
    const actor = createActor(createMachine(config).provide({ guards, actions }), { clock, logger: () => {} })
    actor.start()
    const states = [out()]
    for (const input of sequence) {
      if (input.startsWith('wait ')) for (let k = 0; k < Number(input.slice(5)); k += 10) clock.increment(10)
      else actor.send({ type: input })
      states.push(out())
    }
    return states
  })
}

function playSCXML(job, answer) {
  const scxml = require('@scion-scxml/scxml')
  scxml.documentStringToModel('file:///machine.scxml', job.text, (err, model) => {
    if (err) throw err
    // The data of a prepared model are shared by all that runs it: each sequence has its own.
    const all = []
    const one = (i) => {
      if (i === job.sequences.length) return answer(all)
      model.prepare((err, make) => {
        if (err) throw err
        const chart = new scxml.scion.Statechart(make, {})
        chart.start()
        const states = [chart.getConfiguration()[0]]
        for (const input of job.sequences[i]) {
          chart.gen({ name: input })
          states.push(chart.getConfiguration()[0])
        }
        all.push(states)
        setImmediate(one, i + 1)
      })
    }
    one(0)
  })
}

const job = JSON.parse(readFileSync(0, 'utf8'))
const print = (states) => process.stdout.write(JSON.stringify(states))
if (job.format === 'xstate') print(playXState(job))
else playSCXML(job, print)

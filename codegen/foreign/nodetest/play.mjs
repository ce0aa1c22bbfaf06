// Plays runs of exported machines on the interpreter of their format. Standard input is a list of
// machines with their runs; the answer is what is seen of each run after its start and after each
// thing that comes to it.
import { readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

// verdict is what a guard says in a run; the Go test computes the same.
function verdict(name, salt) {
  let hash = salt
  for (const c of name.toLowerCase().replace(/[^a-z0-9]/g, '')) hash = (hash * 31 + c.charCodeAt(0)) % 65521
  return hash % 3 !== 0
}

Math.random = () => 0

// What is invoked runs until the test says how it ends.
const running = {
  transition(state, event) {
    switch (event.type) {
      case 'end': return { ...state, status: 'done', output: event.output }
      case 'fail': return { ...state, status: 'error', error: event.error }
      case 'xstate.stop': return { ...state, status: 'stopped' }
    }
    return state
  },
  getInitialSnapshot: (_, input) => ({ status: 'active', input, output: undefined, error: undefined }),
  getPersistedSnapshot: (state) => state,
}

async function playXState(machine) {
  const { createActor, SimulatedClock } = await import('xstate')
  const library = pathToFileURL(require.resolve('xstate').replace(/\.cjs\.js$/, '.esm.js')).href
  const text = machine.text.replace('from "xstate"', 'from ' + JSON.stringify(library))
  const made = (await import('data:text/javascript,' + encodeURIComponent(text)))[machine.name]
  return machine.runs.map((run, i) => {
    const clock = new SimulatedClock()
    const guards = Object.fromEntries((machine.guards ?? []).map((g) => [g, () => verdict(g, i)]))
    const actors = Object.fromEntries((machine.actors ?? []).map((a) => [a, running]))
    const actor = createActor(made.provide({ guards, actors }), { clock, input: run.input, logger: () => {} })
    const published = []
    actor.on('*', (e) => published.push(e))
    actor.subscribe({ error: (e) => { throw e } })
    actor.start()
    const look = () => {
      clock.increment(0)
      const s = actor.getSnapshot()
      return {
        states: s._nodes.map((n) => n.path.join('.')),
        data: s.context,
        published: [...published],
        ended: s.status === 'done',
      }
    }
    const seen = [look()]
    for (const op of run.ops ?? []) {
      try {
        const call = actor.getSnapshot().children[op.call]
        switch (op.kind) {
          case 'send': actor.send({ ...op.data, type: op.name }); break
          case 'end': call.send({ type: 'end', output: { ...op.data, type: op.name } }); break
          case 'fail': call.send({ type: 'fail', error: { category: op.name, message: '' } }); break
          case 'wait': clock.increment(op.wait); break
        }
        seen.push(look())
      } catch (e) {
        seen.push({ states: [String(e)] })
      }
    }
    actor.stop()
    return structuredClone(seen)
  })
}

const players = { xstate: playXState }
const answers = []
for (const machine of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    answers.push(await players[machine.format](machine))
  } catch (e) {
    console.error(machine.name, e, '\n' + machine.text)
    process.exit(1)
  }
}
const text = Buffer.from(JSON.stringify(answers))
for (let at = 0; at < text.length; ) at += writeSync(1, text, at)

// Plays runs of a machine of Step Functions on an interpreter of its language. Standard input is
// the machine with what its Tasks may end with; the answer is, for each run, the states in which it
// was and how it has ended.
import { readFileSync, writeSync } from 'node:fs'
import { StateMachine } from 'aws-local-stepfunctions'

// Node has it from version 22 on.
Promise.withResolvers ??= () => {
  const out = {}
  out.promise = new Promise((resolve, reject) => Object.assign(out, { resolve, reject }))
  return out
}

// pick says which outcome comes; the Go test computes the same.
function pick(state, call, run) {
  let hash = run * 31 + call * 17
  for (const c of state) hash = (hash * 31 + c.codePointAt(0)) % 65521
  return Math.floor(hash / 7)
}

const job = JSON.parse(readFileSync(0, 'utf8'))
const definition = JSON.parse(job.text)
const names = (type) => Object.keys(definition.States).filter((name) => definition.States[name].Type === type)

const machine = new StateMachine(structuredClone(definition), { validationOptions: { checkArn: false } })

async function play(run) {
  const calls = {}
  const handlers = Object.fromEntries(names('Task').map((state) => [state, () => {
    const list = job.outcomes[state]
    calls[state] = (calls[state] ?? 0) + 1
    const o = list[pick(state, calls[state] - 1, run) % list.length]
    if (!o.error) return o.result
    const e = new Error(o.error)
    e.name = o.error
    throw e
  }]))
  const execution = machine.run(job.input, {
    overrides: {
      taskResourceLocalHandlers: handlers,
      waitTimeOverrides: Object.fromEntries(names('Wait').map((s) => [s, 0])),
      retryIntervalOverrides: Object.fromEntries(names('Task').map((s) => [s, 0])),
    },
  })
  const seen = { states: [] }
  const logs = (async () => {
    for await (const e of execution.eventLogs) {
      if (e.type === 'StateEntered') seen.states.push(e.state.name)
      if (e.type === 'ExecutionFailed') seen.failed = e.Error
    }
  })()
  await execution.result.catch(() => {})
  await logs
  return seen
}

const answers = []
const together = 20 // runs that wait for their timers side by side
for (let run = 0; run < job.runs; run += together) {
  const some = Array.from({ length: Math.min(together, job.runs - run) }, (_, i) => play(run + i))
  answers.push(...(await Promise.all(some)))
}
const text = Buffer.from(JSON.stringify(answers))
for (let at = 0; at < text.length; ) at += writeSync(1, text, at)

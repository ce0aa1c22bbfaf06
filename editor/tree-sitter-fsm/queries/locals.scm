; Names of a machine are known in all of it, and of a state in the state.
[(machine) (state) (activity) (guard) (scenario)] @scope

(parameter name: (identifier) @definition.parameter)
(field name: (identifier) @definition.field)
(event name: (identifier) @definition.type)
(enum name: (identifier) @definition.type)
(record name: (identifier) @definition.type)
(activity name: (identifier) @definition.function)
(guard name: (identifier) @definition.function)
(state name: (identifier) @definition.namespace)
(terminal name: (identifier) @definition.namespace)

(identifier) @reference

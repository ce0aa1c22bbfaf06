[(body) (context) (enum) (record) (event) (budget) (failures) (block) (scenario) (repeat) (fields) (object) (record_literal)] @indent
["}" ")" "]"] @branch

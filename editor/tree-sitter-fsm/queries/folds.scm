[(machine) (state) (context) (enum) (record) (event) (budget) (failures) (block) (scenario) (repeat)] @fold

{
  "Comment": "Sells one thing: a machine with something of everything that an export has to write.\nLost: what cancel leads to: an execution that is stopped ends where it stands\nGuessed: after 720h: a run fails with States.Timeout, and does not end in Stopped",
  "QueryLanguage": "JSONata",
  "StartAt": "Start",
  "TimeoutSeconds": 2592000,
  "States": {
    "Start": {
      "Type": "Pass",
      "Assign": {
        "item": "{% [$states.input.item, null][0] %}",
        "limit": "{% [$states.input.limit, null][0] %}",
        "address_city": null,
        "address_street": null,
        "size": "small",
        "tries": 0,
        "parcels": "{% [] %}",
        "sent": 0,
        "pause": 60000,
        "note": null,
        "taken": 0,
        "taken_2": 0
      },
      "Next": "Waiting"
    },
    "Waiting": {
      "Comment": "Guessed: an event is the answer to a task token: an object with its name as type",
      "Type": "Task",
      "Resource": "arn:aws:states:::events:putEvents.waitForTaskToken",
      "Arguments": {
        "Entries": [
          {
            "Source": "fsmc.Shop",
            "DetailType": "waiting",
            "Detail": {
              "run": "{% $states.context.Execution.Name %}",
              "state": "Waiting",
              "token": "{% $states.context.Task.Token %}",
              "events": [
                "Ordered"
              ]
            }
          }
        ]
      },
      "Output": "{% $states.result %}",
      "Next": "Waiting: then"
    },
    "Waiting: then": {
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke",
      "Arguments": {
        "FunctionName": "in_stock",
        "Payload": {
          "item": "{% $item %}"
        }
      },
      "Assign": {
        "asked_1": "{% $states.result.Payload %}"
      },
      "Output": "{% $states.input %}",
      "Next": "Asked in_stock"
    },
    "Waiting: assign": {
      "Type": "Pass",
      "Assign": {
        "address_city": "{% $states.input.address.city %}",
        "address_street": "{% $states.input.address.street %}",
        "size": "{% $states.input.size %}",
        "taken": 0
      },
      "Next": "Open.Packing"
    },
    "Publish Sorry": {
      "Type": "Task",
      "Resource": "arn:aws:states:::events:putEvents",
      "Arguments": {
        "Entries": [
          {
            "Source": "fsmc.Shop",
            "DetailType": "Sorry",
            "Detail": {
              "why": "a moment \"please\" <now> -- & then"
            }
          }
        ]
      },
      "Output": "{% $states.input %}",
      "Next": "Waiting: assign"
    },
    "Waiting: assign (2)": {
      "Type": "Pass",
      "Assign": {
        "taken": 0,
        "address_city": "{% $states.input.address.city %}",
        "address_street": "{% $states.input.address.street %}",
        "size": "{% $states.input.size %}"
      },
      "Next": "Stopped"
    },
    "Publish Sorry (2)": {
      "Type": "Task",
      "Resource": "arn:aws:states:::events:putEvents",
      "Arguments": {
        "Entries": [
          {
            "Source": "fsmc.Shop",
            "DetailType": "Sorry",
            "Detail": {
              "why": "a moment \"please\" <now> -- & then"
            }
          }
        ]
      },
      "Output": "{% $states.input %}",
      "Next": "Waiting: assign (2)"
    },
    "Asked in_stock": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $states.input.type = \"Ordered\" and $asked_1 and $states.input.size != \"large\" and (($states.input.address.city) != null) %}",
          "Next": "Publish Sorry"
        },
        {
          "Condition": "{% $states.input.type = \"Ordered\" and $asked_1 and $states.input.size != \"large\" %}",
          "Next": "Publish Sorry (2)"
        },
        {
          "Condition": "{% $states.input.type = \"Ordered\" and ($asked_1 or $limit > 4) %}",
          "Assign": {
            "size": "{% $states.input.size %}"
          },
          "Next": "Waiting"
        },
        {
          "Condition": "{% $states.input.type = \"Ordered\" %}",
          "Next": "Waiting"
        }
      ],
      "Default": "Waiting"
    },
    "Open.Packing": {
      "Comment": "Lost: after 2h of Open\nLost: Changed: no event is taken while a task runs",
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke",
      "Arguments": {
        "FunctionName": "pack",
        "Payload": {
          "item": "{% $item %}",
          "city": "{% $address_city %}"
        }
      },
      "Output": "{% $states.result.Payload %}",
      "TimeoutSeconds": 30,
      "Retry": [
        {
          "ErrorEquals": [
            "busy",
            "States.Timeout"
          ],
          "IntervalSeconds": 1,
          "MaxAttempts": 2,
          "BackoffRate": 2,
          "MaxDelaySeconds": 10
        }
      ],
      "Catch": [
        {
          "ErrorEquals": [
            "States.ALL"
          ],
          "Output": {
            "category": "{% $states.errorOutput.Error = \"States.Timeout\" ? \"timeout\" : $states.errorOutput.Error in [\"busy\"] ? $states.errorOutput.Error : \"unknown\" %}",
            "message": "{% [$string($states.errorOutput.Cause), \"\"][0] %}",
            "activity": "pack",
            "attempt": 1
          },
          "Next": "Open.Packing has failed: then"
        }
      ],
      "Next": "Open.Packing: then"
    },
    "Open.Packing: then": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $states.input.type = \"Packed\" %}",
          "Assign": {
            "tries": "{% $tries + 1 %}",
            "parcels": "{% $states.input.parcels %}",
            "sent": "{% $tries %}"
          },
          "Next": "Checking"
        },
        {
          "Condition": "{% $states.input.type = \"TooLarge\" and $tries < $limit %}",
          "Assign": {
            "tries": "{% $tries + 1 %}"
          },
          "Next": "Open.Resting"
        },
        {
          "Condition": "{% $states.input.type = \"TooLarge\" %}",
          "Next": "Stopped"
        }
      ]
    },
    "Open.Packing has failed: then": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $states.input.category in [\"busy\", \"timeout\"] %}",
          "Next": "Open.Resting"
        },
        {
          "Condition": "{% $states.input.category in [\"unknown\"] %}",
          "Assign": {
            "note": "{% {\"why\": $states.input.message, \"activity\": $states.input.activity} %}"
          },
          "Next": "Stopped"
        }
      ]
    },
    "Open.Resting": {
      "Comment": "Lost: after 2h of Open\nGuessed: an event is the answer to a task token: an object with its name as type",
      "Type": "Task",
      "Resource": "arn:aws:states:::events:putEvents.waitForTaskToken",
      "Arguments": {
        "Entries": [
          {
            "Source": "fsmc.Shop",
            "DetailType": "waiting",
            "Detail": {
              "run": "{% $states.context.Execution.Name %}",
              "state": "Open.Resting",
              "token": "{% $states.context.Task.Token %}",
              "events": [
                "Changed"
              ]
            }
          }
        ]
      },
      "Output": "{% $states.result %}",
      "TimeoutSeconds": "{% $max([1, $ceil($pause / 1000)]) %}",
      "Catch": [
        {
          "ErrorEquals": [
            "States.Timeout"
          ],
          "Next": "Open.Resting: then"
        }
      ],
      "Next": "Open.Resting: then (2)"
    },
    "Open.Resting: then": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $taken_2 < 3 and ($address_city != null) %}",
          "Assign": {
            "taken_2": "{% $taken_2 + 1 %}"
          },
          "Next": "Open.Packing"
        },
        {
          "Condition": "{% $taken_2 < 3 %}",
          "Assign": {
            "taken_2": "{% $taken_2 + 1 %}"
          },
          "Next": "Stopped"
        }
      ],
      "Default": "Stopped"
    },
    "Open.Resting: then (2)": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $states.input.type = \"Changed\" and (($states.input.address.city) != null) %}",
          "Assign": {
            "address_city": "{% $states.input.address.city %}",
            "address_street": "{% $states.input.address.street %}"
          },
          "Next": "Open.Packing"
        },
        {
          "Condition": "{% $states.input.type = \"Changed\" %}",
          "Assign": {
            "address_city": "{% $states.input.address.city %}",
            "address_street": "{% $states.input.address.street %}"
          },
          "Next": "Stopped"
        }
      ],
      "Default": "Open.Resting"
    },
    "Checking": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $count($parcels) > 0 %}",
          "Next": "Sending"
        }
      ],
      "Default": "Told"
    },
    "Sending": {
      "Comment": "Guessed: what elements end with is taken when all have ended, in the order of the list",
      "Type": "Map",
      "Items": "{% $parcels %}",
      "ItemSelector": {
        "index": "{% $states.context.Map.Item.Index %}",
        "item": "{% $states.context.Map.Item.Value %}"
      },
      "MaxConcurrency": 2,
      "ItemProcessor": {
        "StartAt": "ship of one",
        "States": {
          "ship of one": {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Arguments": {
              "FunctionName": "ship",
              "Payload": {
                "parcel": "{% $states.input.item %}"
              }
            },
            "Output": "{% $merge([$states.result.Payload, {\"index\": $states.input.index, \"item\": $states.input.item}]) %}",
            "TimeoutSeconds": 60,
            "Catch": [
              {
                "ErrorEquals": [
                  "States.ALL"
                ],
                "Output": {
                  "index": "{% $states.input.index %}",
                  "item": "{% $states.input.item %}",
                  "failed": true,
                  "category": "{% $states.errorOutput.Error = \"States.Timeout\" ? \"timeout\" : $states.errorOutput.Error in [\"busy\"] ? $states.errorOutput.Error : \"unknown\" %}",
                  "message": "{% [$string($states.errorOutput.Cause), \"\"][0] %}",
                  "activity": "ship",
                  "attempt": 1
                },
                "Next": "ship of one has failed"
              }
            ],
            "End": true
          },
          "ship of one has failed": {
            "Type": "Pass",
            "End": true
          }
        }
      },
      "Assign": {
        "results": "{% $append([], $states.result) %}",
        "at": 0
      },
      "Next": "Sending: next result"
    },
    "Sending has failed: then": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $results[$at].category in [\"busy\"] %}",
          "Assign": {
            "sent": "{% $max([$sent - 1, 0]) %}"
          },
          "Next": "Sending: result taken"
        },
        {
          "Condition": "{% $results[$at].category in [\"unknown\", \"timeout\"] %}",
          "Assign": {
            "note": "{% {\"why\": $results[$at].message, \"activity\": $results[$at].activity} %}"
          },
          "Next": "Stopped"
        }
      ]
    },
    "Sending: next result": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $at >= $count($results) %}",
          "Next": "Told"
        },
        {
          "Condition": "{% $exists($results[$at].failed) %}",
          "Next": "Sending has failed: then"
        }
      ],
      "Default": "Sending: result taken"
    },
    "Sending: result taken": {
      "Type": "Pass",
      "Assign": {
        "at": "{% $at + 1 %}"
      },
      "Next": "Sending: next result"
    },
    "Told": {
      "Comment": "Guessed: what its activities end with is taken when all have ended, in the order of the text",
      "Type": "Parallel",
      "Branches": [
        {
          "StartAt": "tell 1",
          "States": {
            "tell 1": {
              "Type": "Task",
              "Resource": "arn:aws:states:::lambda:invoke",
              "Arguments": {
                "FunctionName": "tell",
                "Payload": {
                  "text": "{% $item %}"
                }
              },
              "Output": "{% $states.result.Payload %}",
              "Catch": [
                {
                  "ErrorEquals": [
                    "States.ALL"
                  ],
                  "Output": {
                    "failed": true,
                    "category": "{% $states.errorOutput.Error in [\"busy\"] ? $states.errorOutput.Error : \"unknown\" %}",
                    "message": "{% [$string($states.errorOutput.Cause), \"\"][0] %}",
                    "activity": "tell",
                    "attempt": 1
                  },
                  "Next": "tell 1 has failed"
                }
              ],
              "End": true
            },
            "tell 1 has failed": {
              "Type": "Pass",
              "End": true
            }
          }
        },
        {
          "StartAt": "Letter 2",
          "States": {
            "Letter 2": {
              "Type": "Task",
              "Resource": "arn:aws:states:::states:startExecution.sync:2",
              "Arguments": {
                "StateMachineArn": "Letter",
                "Input": {
                  "text": "{% $item %}"
                }
              },
              "Output": "{% $states.result.Output %}",
              "Catch": [
                {
                  "ErrorEquals": [
                    "States.ALL"
                  ],
                  "Output": {
                    "failed": true,
                    "category": "{% $states.errorOutput.Error in [\"cancelled\"] ? $states.errorOutput.Error : \"unknown\" %}",
                    "message": "{% [$string($states.errorOutput.Cause), \"\"][0] %}",
                    "activity": "Letter",
                    "attempt": 1,
                    "type": "{% [$parse($states.errorOutput.Cause).Error, null][0] %}"
                  },
                  "Next": "Letter 2 has failed"
                }
              ],
              "End": true
            },
            "Letter 2 has failed": {
              "Type": "Pass",
              "End": true
            }
          }
        }
      ],
      "Next": "Told: result 1"
    },
    "Publish Shipped": {
      "Type": "Task",
      "Resource": "arn:aws:states:::events:putEvents",
      "Arguments": {
        "Entries": [
          {
            "Source": "fsmc.Shop",
            "DetailType": "Shipped",
            "Detail": {
              "item": "{% $item %}",
              "city": "{% $address_city %}",
              "tries": "{% $tries %}"
            }
          }
        ]
      },
      "Output": "{% $states.input %}",
      "Next": "Done"
    },
    "Told: then": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $states.input[1].type = \"Posted\" %}",
          "Next": "Publish Shipped"
        },
        {
          "Condition": "{% $states.input[1].type = \"Lost\" %}",
          "Next": "Stopped"
        }
      ]
    },
    "Told has failed: then": {
      "Type": "Choice",
      "Assign": {
        "note": "{% {\"why\": $states.input[1].message, \"activity\": $states.input[1].activity} %}"
      },
      "Choices": [
        {
          "Condition": "{% $states.input[1].type = \"Lost\" %}",
          "Next": "Stopped"
        }
      ],
      "Default": "Stopped"
    },
    "Told: result 2": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $exists($states.input[1].failed) %}",
          "Next": "Told has failed: then"
        }
      ],
      "Default": "Told: then"
    },
    "Told has failed: then (2)": {
      "Type": "Pass",
      "Assign": {
        "note": "{% {\"why\": $states.input[0].message, \"activity\": $states.input[0].activity} %}"
      },
      "Next": "Stopped"
    },
    "Told: result 1": {
      "Type": "Choice",
      "Choices": [
        {
          "Condition": "{% $exists($states.input[0].failed) %}",
          "Next": "Told has failed: then (2)"
        }
      ],
      "Default": "Told: result 2"
    },
    "Done": {
      "Type": "Succeed",
      "Output": {
        "type": "Done"
      }
    },
    "Stopped": {
      "Type": "Fail",
      "Error": "Stopped",
      "Cause": "failure of Shop"
    }
  }
}

Shop
Shop (lost): lost: what cancel leads to: an execution that is stopped ends where it stands
Shop (lost): guessed: after 720h: a run fails with States.Timeout, and does not end in Stopped
Waiting (part): guessed: an event is the answer to a task token: an object with its name as type
Open.Packing (lost): lost: after 2h of Open
Open.Packing (lost): lost: Changed: no event is taken while a task runs
Open.Resting (lost): lost: after 2h of Open
Open.Resting (lost): guessed: an event is the answer to a task token: an object with its name as type
Sending (part): guessed: what elements end with is taken when all have ended, in the order of the list
Told (part): guessed: what its activities end with is taken when all have ended, in the order of the text

" Colours of the fsm language for Vim and Neovim.
if exists("b:current_syntax")
  finish
endif

syn keyword fsmDeclaration import machine context enum record event failures activity guard budget assert state terminal scenario
syn keyword fsmStatement initial on after do entry exit require ignore defer publish returns fails cost limit per as for in at once
syn keyword fsmStatement timeout heartbeat progress max unbounded backoff by factor jitter idle reject precedes excludes leads to most
syn keyword fsmStatement run visit success failure cancelled done failed cancel over_budget steps time
syn keyword fsmStatement of send refused wait expect repeat checkpoint lost ended halted attempt published waiting
syn keyword fsmConditional when else retry
syn keyword fsmOperator is not set len
syn keyword fsmConstant true false unset now null
syn keyword fsmType bool int float string duration json
syn match fsmMember "\.\s*[A-Za-z_][A-Za-z0-9_]*"
syn match fsmField "\<[A-Za-z_][A-Za-z0-9_]*\>\ze\s*=[^=]"
syn match fsmName "\<\(machine\|state\|terminal\|event\|activity\|guard\|enum\|record\|initial\)\s\+\zs[A-Za-z_][A-Za-z0-9_]*"
syn match fsmTarget "->\s*\zs[A-Za-z_][A-Za-z0-9_.]*"
syn match fsmNumber "\<[0-9][0-9_]*\(\.[0-9][0-9_]*\)\?\(ns\|us\|ms\|s\|m\|h\|d\|w\)\?\>"
syn match fsmNumber "\<\([0-9][0-9_]*\(\.[0-9][0-9_]*\)\?\(ns\|us\|ms\|s\|m\|h\|d\|w\)\)\{2,}\>"
syn region fsmString start=+"+ skip=+\\.+ end=+"+ oneline
syn match fsmComment "//.*$" contains=fsmAllow,@Spell
syn match fsmAllow "fsmc:allow\(-breaking\)\?" contained

hi def link fsmDeclaration Keyword
hi def link fsmStatement Statement
hi def link fsmConditional Conditional
hi def link fsmOperator Operator
hi def link fsmConstant Constant
hi def link fsmType Type
hi def link fsmMember Normal
hi def link fsmField Identifier
hi def link fsmName Function
hi def link fsmTarget Identifier
hi def link fsmNumber Number
hi def link fsmString String
hi def link fsmComment Comment
hi def link fsmAllow SpecialComment

let b:current_syntax = "fsm"

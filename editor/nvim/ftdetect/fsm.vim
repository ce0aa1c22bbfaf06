autocmd BufRead,BufNewFile *.fsm setfiletype fsm

# Types lines into a zsh at a terminal and prints what completion makes of them.
zmodload zsh/zpty
zpty z zsh -f -i
line() { zpty -w z "$1" }
line 'PS1=; PROMPT_EOL_MARK=; autoload -Uz compinit; compinit -u -D; source <(clada completion zsh)'
line 'show() { zle complete-word; print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^X" show'
line 'print READY'
local out
while zpty -r z out; do [[ $out == READY* ]] && break; done
for text in "$@"; do
  zpty -wn z "$text"$'\x18'
  while zpty -r z out; do [[ $out == *'<<'*'>>'* ]] && { print -r -- "${${out#*<<}%>>*}"; break }; done
done
zpty -d z
